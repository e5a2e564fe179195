// Arches of wedge-shaped blocks.
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "nsn/models/collision/convex_hull.h"
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
  mesh.polygons = {{3, 2, 1, 0}, {4, 5, 6, 7}, {5, 4, 0, 1},
                   {6, 5, 1, 2}, {7, 6, 2, 3}, {4, 7, 3, 0}};
  return mesh;
}

/// The joints and blocks of an arch in the plane y = 0. The first and last joint are on the ground.
struct Plan {
  std::vector<Joint> joints;
  std::vector<Voussoir> blocks;
  double depth = 0.0;
  double mu = 0.0;
};

std::vector<int> add_blocks(World& world, const Plan& plan) {
  std::vector<int> bodies;
  for (const Voussoir& block : plan.blocks) {
    Body body;
    body.mass = block.mass;
    body.inertia = block.inertia;
    body.position = block.centre;
    bodies.push_back(world.add_body(body));
  }
  return bodies;
}

/// Four contacts at the corners of each joint, of blocks that collide with nothing.
World with_given_contacts(const Plan& plan) {
  World world;
  const int ground = add_ground(world, plan.mu);
  const std::vector<int> bodies = add_blocks(world, plan);
  const std::size_t count = plan.blocks.size();
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceMesh mesh =
        prism(plan.joints[k], plan.joints[k + 1], plan.blocks[k].centre, plan.depth);
    world.add_shape(bodies[k], std::make_shared<Visual>(mesh));
  }
  for (std::size_t j = 0; j <= count; ++j) {
    const Joint& joint = plan.joints[j];
    const bool last = j == count;  // the last block's right face on the ground
    const int a = last ? bodies[count - 1] : bodies[j];
    const int b = last || j == 0 ? ground : bodies[j - 1];
    for (const Vec3& edge : {joint.inner, joint.outer}) {
      for (const double y : {-0.5 * plan.depth, 0.5 * plan.depth}) {
        const Vec3 corner = edge + Vec3{0, y, 0};
        world.add_contact({.body_a = a,
                           .body_b = b,
                           .point = corner - world.body(a).position,
                           .origin = corner - world.body(b).position,
                           .normal = last ? -joint.normal : joint.normal,
                           .mu = plan.mu});
      }
    }
  }
  return world;
}

Joint moved(const Joint& joint, const Vec3& by) {
  return {joint.inner + by, joint.outer + by, joint.normal};
}

/// Blocks that collide, between two abutments on the ground. All of it is lifted, so that no block
/// meets the ground itself.
World with_found_contacts(Plan plan) {
  const double foot = norm(plan.joints.front().outer - plan.joints.front().inner);
  const Vec3 lift{0.0, 0.0, foot};
  for (Joint& joint : plan.joints) joint = moved(joint, lift);
  for (Voussoir& block : plan.blocks) block.centre += lift;
  World world;
  const int ground = add_ground(world, plan.mu);
  const std::vector<int> bodies = add_blocks(world, plan);
  const auto add = [&](int body, const Joint& left, const Joint& right, const Vec3& centre) {
    world.add_shape(
        body,
        std::make_shared<ConvexHull>(ConvexHull::of_faces(prism(left, right, centre, plan.depth))),
        {.mu = plan.mu});
  };
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    add(bodies[k], plan.joints[k], plan.joints[k + 1], plan.blocks[k].centre);
  }
  const Joint& first = plan.joints.front();
  const Joint& last = plan.joints.back();
  add(ground, moved(first, -foot * first.normal), first, {});
  add(ground, last, moved(last, foot * last.normal), {});
  return world;
}

/// Blocks are bodies 1 ... n; body 0 is the ground.
World build_arch(const Plan& plan, const Options& options) {
  return options.text("contacts") == "given" ? with_given_contacts(plan)
                                             : with_found_contacts(plan);
}

OptionSpec contacts_option() {
  return OptionSpec::choice("contacts", "found", {"found", "given"},
                            "by collision detection, or given at the corners of each joint");
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
  Plan plan{.joints = {}, .blocks = {}, .depth = depth, .mu = options.real("mu")};
  Vec3 middle{0, 0, 0};  // of the joint
  for (int j = 0; j <= count; ++j) {
    const Vec3& d = direction[static_cast<std::size_t>(j)];
    const Vec3 up{-d[2], 0.0, d[0]};
    plan.joints.push_back({middle - 0.5 * thickness * up, middle + 0.5 * thickness * up, d});
    if (j == count) break;
    const double m = mass[static_cast<std::size_t>(j)];
    const Vec3 centre = middle + 0.5 * side * d;
    // Inertia of a box of the block's size, turned by the mean of its two joints' directions.
    const Vec3& e = direction[static_cast<std::size_t>(j) + 1];
    const Vec3 axis = normalized(d + e);
    const Mat3 R = columns(axis, {0, 1, 0}, cross(axis, {0, 1, 0}));
    plan.blocks.push_back({m, centre, R * box_inertia(m, {side, depth, thickness}) * transpose(R)});
    middle = centre + 0.5 * side * e;
  }
  return build_arch(plan, options);
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
  Plan plan{.joints = {}, .blocks = {}, .depth = depth, .mu = options.real("mu")};
  const auto radial = [](double angle) { return Vec3{-std::cos(angle), 0.0, std::sin(angle)}; };
  for (int j = 0; j <= count; ++j) {
    const double angle = 2.0 * half * j;
    const Vec3 out = radial(angle);
    plan.joints.push_back({inner * out, outer * out, {std::sin(angle), 0.0, std::cos(angle)}});
    if (j == count) break;
    const Vec3 axis = radial(angle + half);
    Mat3 I = box_inertia(mass, {t, depth, 2.0 * half * R});
    I(1, 1) = about_axis;
    const Mat3 B = columns(axis, {0, 1, 0}, cross(axis, {0, 1, 0}));
    plan.blocks.push_back({mass, centroid * axis, B * I * transpose(B)});
  }
  return build_arch(plan, options);
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
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient"), contacts_option()},
       240,
       arch},
      {"circular-arch",
       "stands iff t / R is at least 0.10748 (N -> infinity, mu >= 0.4)",
       {OptionSpec::integer("blocks", 20, 3, 200, "number of voussoirs"),
        OptionSpec::real("thickness", 0.12, 0.01, 1.0, "t / R, R = 1 m"),
        OptionSpec::real("density", 2000.0, 1.0, 1e5, "kg/m^3"),
        OptionSpec::real("mu", 0.6, 0.0, 10.0, "friction coefficient"), contacts_option()},
       120,
       circular_arch},
  };
}

}  // namespace nsn
