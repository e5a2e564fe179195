/// A world as a shaded picture.
///
///   render::write_png(picture_of(simulation.world()), "arch.png");
///   render::write_png(picture_of(simulation.world(), contact_forces(simulation)), "forces.png");
///
/// Bodies have a colour each; a deformable body turns blue where its volume shrinks and red where
/// it grows. Contact forces are lines from the contact point, their length relative to the largest.
/// What does not move and stands before a third of the bodies that do is an outline.
/// Joints are the axes of their frames: x red, y green, z (the joint's own axis) blue.
#pragma once

#include <optional>
#include <vector>

#include "bench/render/image.h"
#include "bench/render/rasteriser.h"
#include "nsn/models/step/simulation.h"
#include "nsn/models/world/world.h"

namespace nsn::report {

/// A force of a contact on its first body.
struct ForceArrow {
  Vec3 point;  ///< m
  Vec3 force;  ///< N
};
/// Of the last step, contacts of rigid and of deformable bodies.
std::vector<ForceArrow> contact_forces(const Simulation& simulation);

/// Where a picture is taken from, and the floor below what has none.
struct Framing {
  render::Camera camera;
  std::optional<double> floor;  ///< height, m
  double extent = 1.0;          ///< radius of what is seen, m
};
/// Sees what moves, and what is fixed among it; nothing moves: everything. A long row is seen along itself.
Framing framing_of(const World& world, double aspect = 1.5);

/// 960 x 640 pixels unless asked otherwise. The pictures of a film share the framing of the first.
render::Image picture_of(const World& world, const std::vector<ForceArrow>& forces = {},
                         int width = 960, int height = 640,
                         const std::optional<Framing>& framing = {});

}  // namespace nsn::report
