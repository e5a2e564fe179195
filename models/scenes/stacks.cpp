// Stacks and walls of boxes.
#include <cmath>

#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// Five cubes of 1 m, each eight times as heavy as the one below; bodies 1 ... 5.
World heavy_stack(const Options& options) {
  World world;
  const double mu = options.real("mu");
  add_ground(world, mu);
  const auto boxes = static_cast<int>(options.integer("boxes"));
  double mass = options.real("mass");
  for (int k = 0; k < boxes; ++k) {
    add_box(world, {1, 1, 1}, mass, {0, 0, k + 0.5}, mu);
    mass *= options.real("ratio");
  }
  return world;
}

/// Running bond: odd rows begin and end with half a brick; 4 columns (2 rows - 1) contacts. Bricks
/// fall by `drop` onto each other and are pushed sideways by random speeds up to `push`.
World wall(const Options& options) {
  World world;
  world.margin = 0.002;
  const double mu = options.real("mu");
  add_ground(world, mu);
  const Vec3 size{0.24, 0.115, 0.071};
  const double joint = 0.003;  // free space beside each brick: neighbours do not touch
  const double drop = options.real("drop");
  const auto columns = static_cast<int>(options.integer("columns"));
  const auto rows = static_cast<int>(options.integer("rows"));
  const double pitch = size[0] + joint;
  const double push = options.real("push");
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  for (int row = 0; row < rows; ++row) {
    const double z = (row + 0.5) * size[2] + (row + 1) * drop;
    const bool odd = row % 2 == 1;
    for (int column = 0; column < columns + (odd ? 1 : 0); ++column) {
      const bool half = odd && (column == 0 || column == columns);
      const double length = half ? 0.5 * (size[0] - joint) : size[0];
      // Half bricks are flush with the ends of the wall.
      double x = (column + (odd ? 0.0 : 0.5) - 0.5 * columns) * pitch;
      if (half) x += (column == 0 ? 0.25 : -0.25) * pitch;
      const double mass = options.real("mass") * length / size[0];
      const int brick = add_box(world, {length, size[1], size[2]}, mass, {x, 0, z}, mu);
      world.body(brick).velocity = {push * random.uniform(-1.0, 1.0),
                                    push * random.uniform(-1.0, 1.0), 0.0};
    }
  }
  return world;
}

/// Boxes of random size, mass and sideways velocity on top of each other; bodies 1 ... n.
World sliding_stack(const Options& options) {
  World world;
  const double mu = options.real("mu");
  add_ground(world, mu);
  SceneRandom random(static_cast<std::uint64_t>(options.integer("seed")));
  const auto boxes = static_cast<int>(options.integer("boxes"));
  const double ratio = options.real("ratio");
  const double speed = options.real("speed");
  double height = 0.0;
  for (int k = 0; k < boxes; ++k) {
    const Vec3 size{random.uniform(0.8, 1.2), random.uniform(0.8, 1.2), random.uniform(0.3, 0.5)};
    const double mass = std::pow(ratio, random.uniform());
    const int box = add_box(world, size, mass, {0, 0, height + 0.5 * size[2]}, mu);
    world.body(box).velocity = {speed * random.uniform(-1.0, 1.0),
                                speed * random.uniform(-1.0, 1.0), 0.0};
    height += size[2];
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> stack_scenes() {
  const auto mu = [](double value) {
    return OptionSpec::real("mu", value, 0.0, 10.0, "friction coefficient");
  };
  return {
      {"heavy-stack",
       "five cubes of 8 ... 32768 kg, the lightest at the bottom",
       {OptionSpec::integer("boxes", 5, 1, 100, "number of cubes"),
        OptionSpec::real("mass", 8.0, 1e-6, 1e6, "of the lowest cube, kg"),
        OptionSpec::real("ratio", 8.0, 1e-3, 1e3, "of each cube's mass to the one below"), mu(0.5)},
       240,
       heavy_stack},
      {"wall",
       "a brick wall in running bond comes to rest",
       {OptionSpec::integer("columns", 10, 1, 200, "bricks in a row"),
        OptionSpec::integer("rows", 10, 1, 200, "rows"),
        OptionSpec::real("mass", 3.5, 1e-3, 1e4, "of a brick, kg"), mu(0.6),
        OptionSpec::real("drop", 0.0, 0.0, 0.1, "initial gap between rows, m"),
        OptionSpec::real("push", 0.0, 0.0, 100.0, "largest initial speed along x and y, m/s"),
        OptionSpec::integer("seed", 1, 0, 1e9, "of the random speeds")},
       120,
       wall},
      {"sliding-stack",
       "boxes of random mass pushed sideways: the hard case of friction",
       {OptionSpec::integer("boxes", 5, 1, 100, "number of boxes"),
        OptionSpec::integer("seed", 1, 0, 1e9, "of the random numbers"),
        OptionSpec::real("ratio", 4096.0, 1.0, 1e6, "largest mass ratio"),
        OptionSpec::real("speed", 1.5, 0.0, 100.0, "largest initial speed along x and y, m/s"),
        mu(0.5)},
       60,
       sliding_stack},
  };
}

}  // namespace nsn
