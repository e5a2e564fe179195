/// Pieces that several scenes are built from.
#pragma once

#include <cstdint>

#include "models/world.h"

namespace nsn {

/// A static body with a horizontal plane through the origin. Returns the body.
int add_ground(World& world, double mu, double extent = 4.0);
/// A dynamic box with its shape. Returns the body; its shape is the last one added.
int add_box(World& world, const Vec3& size, double mass, const Vec3& position, double mu,
            const Quaternion& orientation = {});
/// A dynamic ball with its shape.
int add_ball(World& world, double radius, double mass, const Vec3& position, double mu);
/// A static box.
int add_static_box(World& world, const Vec3& size, const Vec3& position, double mu);

/// Uniform numbers in [0, 1): the same on every platform.
class SceneRandom {
 public:
  explicit SceneRandom(std::uint64_t seed) : state_(seed) {}
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

}  // namespace nsn
