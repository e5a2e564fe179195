#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/render/image.h"
#include "bench/render/rasteriser.h"

namespace nsn::render {
namespace {

Picture box_on_ground() {
  Picture picture;
  Mesh box = box_mesh({0.5, 0.5, 0.5});
  for (Vec3& p : box.vertex) p[2] += 0.5;
  box.colour = {0.8, 0.1, 0.1};
  picture.camera = frame_all({box}, {2.0, -3.0, 1.5});
  picture.meshes = {ground_mesh(10.0, 0.5), box};
  return picture;
}

std::array<int, 3> pixel(const Image& image, int x, int y) {
  const std::size_t at = 3U * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                               static_cast<std::size_t>(x));
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

TEST(Rasteriser, NearerSurfaceHidesTheFartherOne) {
  const Image image = render(box_on_ground(), 200, 160);

  const auto [r, g, b] = pixel(image, 100, 80);  // the camera looks at the middle of the red box
  EXPECT_GT(r, 2 * g);
  EXPECT_GT(r, 2 * b);
}

TEST(Rasteriser, GroundInTheShadowIsDarker) {
  Picture picture = box_on_ground();
  const Image lit = render(picture, 200, 160);
  picture.meshes[1].casts_shadow = false;
  const Image unshadowed = render(picture, 200, 160);

  int darker = 0;
  int brighter = 0;
  for (std::size_t i = 0; i < lit.rgb.size(); ++i) {
    darker += lit.rgb[i] + 20 < unshadowed.rgb[i];
    brighter += lit.rgb[i] > unshadowed.rgb[i] + 20;
  }
  EXPECT_GT(darker, 1000);
  EXPECT_EQ(brighter, 0);
}

TEST(Rasteriser, SurvivesTrianglesBehindTheEyeAndFlatOnes) {
  Picture picture = box_on_ground();
  picture.camera.eye = {0.0, 0.0, 0.5};  // inside the box
  picture.meshes[1].triangle.push_back({0, 0, 1});

  const Image image = render(picture, 64, 48);

  EXPECT_EQ(image.rgb.size(), 3U * 64U * 48U);
}

TEST(Png, CarriesSignatureSizeAndEnd) {
  const std::vector<std::uint8_t> bytes = encode_png(Image(5, 7));

  ASSERT_GT(bytes.size(), 33U);
  EXPECT_EQ(bytes[1], 'P');
  EXPECT_EQ(bytes[19], 5);  // low byte of the width in IHDR
  EXPECT_EQ(bytes[23], 7);
  EXPECT_EQ(bytes[bytes.size() - 8], 'I');
  EXPECT_EQ(bytes[bytes.size() - 5], 'D');
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<std::uint8_t>(bytes[at + k]);
  return value;
}

TEST(Png, AnimationHoldsWhatDiffersFromTheFrameBefore) {
  Image first(40, 30);
  std::fill(first.rgb.begin(), first.rgb.end(), std::uint8_t{200});
  Image second = first;
  for (const int x : {7, 12}) second.rgb[3U * (5U * 40U + static_cast<std::size_t>(x))] = 90;
  const auto path = std::filesystem::path(::testing::TempDir()) / "differs.png";

  write_animation({first, second, second}, 0.1, path);

  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::array<std::uint32_t, 4>> areas;  // width, height, left, top
  for (std::size_t at = bytes.find("fcTL"); at != std::string::npos;
       at = bytes.find("fcTL", at + 4)) {
    areas.push_back({number_at(bytes, at + 8), number_at(bytes, at + 12), number_at(bytes, at + 16),
                     number_at(bytes, at + 20)});
  }
  ASSERT_EQ(areas.size(), 3U);
  EXPECT_EQ(areas[0], (std::array<std::uint32_t, 4>{40, 30, 0, 0}));
  EXPECT_EQ(areas[1], (std::array<std::uint32_t, 4>{6, 1, 7, 5}));
  EXPECT_EQ(areas[2], (std::array<std::uint32_t, 4>{1, 1, 0, 0}));  // nothing differs
}

TEST(Png, AnimationRefusesNoFramesAndMixedSizes) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "mixed.png";

  EXPECT_THROW(write_animation({}, 0.1, path), std::invalid_argument);
  EXPECT_THROW(write_animation({Image(4, 4), Image(5, 4)}, 0.1, path), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace nsn::render
