// Pictures of worlds show what moves.
#include "bench/report/scene_picture.h"

#include <gtest/gtest.h>

#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

/// Pixels whose red lies this far above their blue: those of a body of an orange colour.
int orange_pixels(const render::Image& image) {
  int count = 0;
  for (std::size_t k = 0; k + 2 < image.rgb.size(); k += 3) {
    count += image.rgb[k] > image.rgb[k + 2] + 60 ? 1 : 0;
  }
  return count;
}

/// Body 1, which is orange, between two static blue walls across the line of sight.
World between_walls(bool near_wall) {
  World world;
  add_static_box(world, {2.0, 0.1, 2.0}, {0.0, 1.0, 0.0}, 0.5);
  add_box(world, {0.5, 0.5, 0.5}, 1.0, {}, 0.5);
  if (near_wall) {
    const int wall = add_static_box(world, {2.0, 0.1, 2.0}, {0.0, -1.0, 0.0}, 0.5);
    EXPECT_EQ(wall, 2);
  }
  return world;
}

TEST(ScenePicture, WhatStandsBeforeMovingBodiesIsAnOutline) {
  const int with_wall = orange_pixels(report::picture_of(between_walls(true), {}, 240, 160));
  const int without = orange_pixels(report::picture_of(between_walls(false), {}, 240, 160));

  EXPECT_GT(without, 100);
  // The box is smaller in a picture that also shows the near wall, and a few lines cross it.
  EXPECT_GT(with_wall, without / 4);
}

}  // namespace
}  // namespace nsn
