// Piles of many bodies.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "models/collision/plane.h"
#include "models/scenes/parts.h"
#include "models/scenes/scene.h"

namespace nsn {
namespace {

/// N balls fall into a square box without a lid: five planes.
World sphere_pile(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double mu = options.real("mu");
  world.margin = 0.1 * radius;
  const auto count = static_cast<int>(options.integer("balls"));
  // About as wide as high once settled.
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(0.8 * count))));
  const double pitch = 2.0 * radius * 1.05;
  const double half_width = 0.5 * pitch * side;
  const int ground = add_ground(world, mu, 2.0 * half_width);
  for (int k = 0; k < 4; ++k) {
    const double angle = 0.5 * std::numbers::pi * k;
    const Vec3 inward{-std::cos(angle), -std::sin(angle), 0.0};
    const Vec3 axis = cross({0, 0, 1}, inward);
    world.add_shape(ground, std::make_shared<Plane>(0.0), {.mu = mu}, -half_width * inward,
                    rotation_about(axis, 0.5 * std::numbers::pi));
  }
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  const double jitter = 0.04 * radius;
  for (int i = 0; i < count; ++i) {
    const int layer = i / (side * side);
    const int row = i / side % side;
    const int column = i % side;
    const Vec3 noise{random.uniform(-jitter, jitter), random.uniform(-jitter, jitter), 0.0};
    const Vec3 grid{(column + 0.5) * pitch - half_width, (row + 0.5) * pitch - half_width,
                    radius + layer * pitch};
    add_ball(world, radius, options.real("mass"), grid + noise, mu);
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> pile_scenes() {
  return {
      {"sphere-pile",
       "N balls settle in a box",
       {OptionSpec::integer("balls", 500, 1, 1e6, "number of balls"),
        OptionSpec::real("radius", 0.05, 1e-4, 10.0, "m"),
        OptionSpec::real("mass", 1.0, 1e-6, 1e6, "of a ball, kg"),
        OptionSpec::real("mu", 0.5, 0.0, 10.0, "friction coefficient"),
        OptionSpec::integer("seed", 1, 0, 1e9, "of the initial disorder")},
       240,
       sphere_pile},
  };
}

}  // namespace nsn
