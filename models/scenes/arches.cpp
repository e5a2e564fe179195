// Arches of wedge-shaped blocks; contacts are given at the four corners of each joint.
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "nsn/models/collision/visual.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// A joint between two blocks in the plane y = 0: from the inner to the outer edge, normal to the
/// right-hand block.
struct Joint {
  Vec3 inner;
  Vec3 outer;
  Vec3 normal;
};

/// A block between joint k and k + 1.
struct Voussoir {
  double mass = 0.0;
  Vec3 centre;
  Mat3 inertia;
};

SurfaceMesh prism(const Joint& left, const Joint& right, const Vec3& centre, double depth) {
  SurfaceMesh mesh;
  for (const double y : {-0.5 * depth, 0.5 * depth}) {
    for (const Vec3& p : {left.inner, left.outer, right.outer, right.inner}) {
      mesh.points.push_back(p - centre + Vec3{0, y, 0});
    }
  }
  mesh.polygons = {{0, 1, 2, 3}, {7, 6, 5, 4}, {1, 0, 4, 5},
                   {2, 1, 5, 6}, {3, 2, 6, 7}, {0, 3, 7, 4}};
  return mesh;
}

/// Blocks between joints; the first and last joint are on the ground. Body 0 is the ground.
World build_arch(const std::vector<Joint>& joints, const std::vector<Voussoir>& blocks,
                 double depth, double mu) {
  World world;
  const int ground = add_ground(world, mu);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    Body body;
    body.mass = blocks[k].mass;
    body.inertia = blocks[k].inertia;
    body.position = blocks[k].centre;
    const int b = world.add_body(body);
    world.add_shape(
        b, std::make_shared<Visual>(prism(joints[k], joints[k + 1], blocks[k].centre, depth)));
  }
  const auto count = static_cast<int>(blocks.size());
  for (int j = 0; j <= count; ++j) {
    const Joint& joint = joints[static_cast<std::size_t>(j)];
    // The last joint is the last block's right face on the ground.
    const bool last = j == count;
    const int a = last ? count : j + 1;
    const int b = last || j == 0 ? ground : j;
    const Vec3 position_a = world.body(a).position;
    const Vec3 position_b = world.body(b).position;
    for (const Vec3& edge : {joint.inner, joint.outer}) {
      for (const double y : {-0.5 * depth, 0.5 * depth}) {
        const Vec3 corner = edge + Vec3{0, y, 0};
        world.add_contact({.body_a = a,
                           .body_b = b,
                           .point = corner - position_a,
                           .origin = corner - position_b,
                           .normal = last ? -joint.normal : joint.normal,
                           .mu = mu});
      }
    }
  }
  return world;
}

/// Blocks of 110 kg at the springers to 15 kg at the crown. The axis is the thrust line of these
/// weights: block centres are the corners of a funicular polygon of equal sides, joints stand at
/// right angles in the middle of its sides, so thrust passes through the middle of every joint.
World arch(const Options& options) {
  const auto count = static_cast<int>(options.integer("blocks"));
  const double side = options.real("block_length");
  const double thickness = options.real("thickness");
  const double depth = options.real("depth");
  std::vector<double> mass(static_cast<std::size_t>(count));
  double half_weight = 0.0;
  for (int k = 0; k < count; ++k) {
    const double x = std::abs(2.0 * k / (count - 1.0) - 1.0);  // 1 at the springers, 0 at the crown
    mass[static_cast<std::size_t>(k)] =
        options.real("crown_mass") +
        x * (options.real("springer_mass") - options.real("crown_mass"));
    half_weight += 0.5 * mass[static_cast<std::size_t>(k)];
  }
  const double steepest = options.real("springer_slope");
  std::vector<Vec3> direction;  // of side j, from left to right
  double carried = half_weight;
  for (int j = 0; j <= count; ++j) {
    const double slope = steepest * carried / half_weight;
    direction.push_back(normalized(Vec3{1.0, 0.0, slope}));
    if (j < count) carried -= mass[static_cast<std::size_t>(j)];
  }
  std::vector<Joint> joints;
  std::vector<Voussoir> blocks;
  Vec3 middle{0, 0, 0};  // of the joint
  for (int j = 0; j <= count; ++j) {
    const Vec3& d = direction[static_cast<std::size_t>(j)];
    const Vec3 up{-d[2], 0.0, d[0]};
    joints.push_back({middle - 0.5 * thickness * up, middle + 0.5 * thickness * up, d});
    if (j == count) break;
    const double m = mass[static_cast<std::size_t>(j)];
    const Vec3 centre = middle + 0.5 * side * d;
    // Inertia of a box of the block's size, turned by the mean of its two joints' directions.
    const Vec3& e = direction[static_cast<std::size_t>(j) + 1];
    const Vec3 axis = normalized(d + e);
    const Mat3 R = columns(axis, {0, 1, 0}, cross(axis, {0, 1, 0}));
    blocks.push_back({m, centre, R * box_inertia(m, {side, depth, thickness}) * transpose(R)});
    middle = centre + 0.5 * side * e;
  }
  return build_arch(joints, blocks, depth, options.real("mu"));
}

/// N equal voussoirs on a half circle, mean radius 1 m, radial joints, true weight of each sector.
World circular_arch(const Options& options) {
  const auto count = static_cast<int>(options.integer("blocks"));
  const double R = 1.0;
  const double t = options.real("thickness");
  const double depth = 0.5;
  const double inner = R - 0.5 * t;
  const double outer = R + 0.5 * t;
  const double half = 0.5 * std::numbers::pi / count;  // half the angle of a voussoir
  const double area = half * (outer * outer - inner * inner);
  const double mass = options.real("density") * area * depth;
  const double centroid = 2.0 / 3.0 * std::sin(half) / half *
                          (outer * outer * outer - inner * inner * inner) /
                          (outer * outer - inner * inner);
  const double about_axis = mass * (0.5 * (outer * outer + inner * inner) - centroid * centroid);
  std::vector<Joint> joints;
  std::vector<Voussoir> blocks;
  const auto radial = [](double angle) { return Vec3{-std::cos(angle), 0.0, std::sin(angle)}; };
  for (int j = 0; j <= count; ++j) {
    const double angle = 2.0 * half * j;
    const Vec3 out = radial(angle);
    joints.push_back({inner * out, outer * out, {std::sin(angle), 0.0, std::cos(angle)}});
    if (j == count) break;
    const Vec3 axis = radial(angle + half);
    Mat3 I = box_inertia(mass, {t, depth, 2.0 * half * R});
    I(1, 1) = about_axis;
    const Mat3 B = columns(axis, {0, 1, 0}, cross(axis, {0, 1, 0}));
    blocks.push_back({mass, centroid * axis, B * I * transpose(B)});
  }
  return build_arch(joints, blocks, depth, options.real("mu"));
}

}  // namespace

std::vector<SceneInfo> arch_scenes() {
  return {
      {"arch",
       "20 blocks of 15 ... 110 kg along their thrust line",
       {OptionSpec::integer("blocks", 20, 3, 200, "number of blocks"),
        OptionSpec::real("crown_mass", 15.0, 1e-3, 1e6, "lightest block, kg"),
        OptionSpec::real("springer_mass", 110.0, 1e-3, 1e6, "heaviest block, kg"),
        OptionSpec::real("block_length", 0.3, 0.01, 10.0, "along the arch, m"),
        OptionSpec::real("thickness", 0.3, 0.01, 10.0, "m"),
        OptionSpec::real("depth", 0.4, 0.01, 10.0, "m"),
        OptionSpec::real("springer_slope", 3.0, 0.1, 20.0, "slope of the axis at the springers"),
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient")},
       240,
       arch},
      {"circular-arch",
       "stands iff t / R is at least 0.10748 (N -> infinity, mu >= 0.4)",
       {OptionSpec::integer("blocks", 20, 3, 200, "number of voussoirs"),
        OptionSpec::real("thickness", 0.12, 0.01, 1.0, "t / R, R = 1 m"),
        OptionSpec::real("density", 2000.0, 1.0, 1e5, "kg/m^3"),
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient")},
       120,
       circular_arch},
  };
}

}  // namespace nsn
