// Scenes of static balance with closed-form thresholds.
#include <cmath>
#include <memory>
#include <numbers>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/visual.h"
#include "nsn/models/joints/distance.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// Two cards lean against each other; bodies 1 and 2. Contacts act on the cards' middle surfaces.
World a_frame(const Options& options) {
  World world;
  const double alpha = options.real("angle") * std::numbers::pi / 180.0;
  const double mu = options.real("mu");
  const double length = 1.0;
  const double width = 0.5;
  const int ground = add_ground(world, mu);
  int card[2];
  for (int s = 0; s < 2; ++s) {
    const double side = s == 0 ? -1.0 : 1.0;
    Body body;
    body.mass = 1.0;
    body.inertia = box_inertia(1.0, {0.01, width, length});
    body.position = {side * 0.5 * length * std::sin(alpha), 0.0, 0.5 * length * std::cos(alpha)};
    body.orientation = rotation_about({0, 1, 0}, -side * alpha);
    card[s] = world.add_body(body);
    world.add_shape(card[s], std::make_shared<Visual>(Box({0.01, width, length}).surface()));
    for (const double y : {-0.5 * width, 0.5 * width}) {
      world.add_contact({.body_a = card[s],
                         .body_b = ground,
                         .point = {0.0, y, -0.5 * length},
                         .normal = {0, 0, 1},
                         .mu = mu});
    }
  }
  // At the ridge the cards push each other horizontally: -x in the axes of the second card.
  const Vec3 normal{-std::cos(alpha), 0.0, std::sin(alpha)};
  for (const double y : {-0.5 * width, 0.5 * width}) {
    world.add_contact({.body_a = card[0],
                       .body_b = card[1],
                       .point = {0.0, y, 0.5 * length},
                       .origin = {0.0, 0.0, 0.5 * length},
                       .normal = normal,
                       .mu = mu});
  }
  return world;
}

World harmonic(int blocks, double scale, double mu) {
  World world;
  const double L = 1.0;
  const Vec3 size{L, 0.5 * L, 0.25 * L};
  add_static_box(world, {4.0 * L, L, L}, {-2.0 * L, 0.0, -0.5 * L}, mu);
  for (int level = 0; level < blocks; ++level) {
    const int from_top = blocks - level;
    double edge = 0.0;
    for (int j = from_top; j <= blocks; ++j) edge += scale * L / (2.0 * j);
    add_box(world, size, 1.0, {edge - 0.5 * L, 0.0, (level + 0.5) * size[2]}, mu);
  }
  return world;
}

World overhang(const Options& options) {
  World world;
  const double mu = options.real("mu");
  add_static_box(world, {4.0, 1.0, 1.0}, {-2.0, 0.0, -0.5}, mu);
  add_box(world, {1.0, 0.5, 0.25}, 1.0, {options.real("overhang") - 0.5, 0.0, 0.125}, mu);
  return world;
}

World harmonic_stack(const Options& options) {
  return harmonic(static_cast<int>(options.integer("blocks")), options.real("scale"),
                  options.real("mu"));
}

/// A weightless chain of n nodes around a quarter, half, ... of a drum. Nodes sit at the corners of
/// a polygon that turns by d = wrap / n at each: T2 / T1 = [(1 + mu tan(d/2)) / (1 - mu
/// tan(d/2))]^n at the limit of slipping. Body 0 is the drum, bodies 1 ... n the nodes.
World capstan(const Options& options) {
  World world;
  world.gravity = {};
  const auto n = static_cast<int>(options.integer("nodes"));
  const double mu = options.real("mu");
  const double turn = options.real("wrap") / n;
  const double radius = 1.0;
  Body drum;
  drum.kind = BodyKind::kStatic;
  const int ground = world.add_body(drum);
  const double bead = 0.03;  // radius of a node as drawn
  world.add_shape(ground, std::make_shared<Visual>(Cylinder(radius - bead, 0.6).surface()), {}, {},
                  rotation_about({1, 0, 0}, 0.5 * std::numbers::pi));
  const double t = mu * std::tan(0.5 * turn);
  const double limit = std::pow((1.0 + t) / (1.0 - t), n);
  const auto along = [&](double angle) { return Vec3{-std::sin(angle), 0.0, std::cos(angle)}; };
  for (int i = 0; i < n; ++i) {
    const double angle = (i + 0.5) * turn;
    const Vec3 outward{std::cos(angle), 0.0, std::sin(angle)};
    Body node;
    node.mass = 0.01;
    node.inertia = sphere_inertia(node.mass, 0.02);
    node.position = radius * outward;
    // The chords at both ends leave the drum half a turn off the tangent.
    if (i == 0) node.force = -options.real("tension") * along(angle - 0.5 * turn);
    if (i == n - 1) {
      node.force +=
          options.real("tension") * limit * options.real("load") * along(angle + 0.5 * turn);
    }
    const int body = world.add_body(node);
    world.add_shape(body, std::make_shared<Visual>(Sphere(bead).surface()));
    world.add_contact(
        {.body_a = body, .body_b = ground, .origin = node.position, .normal = outward, .mu = mu});
    if (i > 0) {
      world.add_joint(distance_joint(body - 1, {}, body, {}, 2.0 * radius * std::sin(0.5 * turn)));
    }
  }
  return world;
}

World four_leg_table(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const int ground = add_ground(world, mu);
  Body table;
  table.mass = options.real("mass");
  table.inertia = box_inertia(table.mass, {1.2, 0.8, 0.1});
  table.position = {0, 0, 0.7};
  table.velocity = {options.real("speed"), 0, 0};
  const int body = world.add_body(table);
  world.add_shape(body, std::make_shared<Visual>(Box({1.2, 0.8, 0.05}).surface()));
  for (const double x : {-0.55, 0.55}) {
    for (const double y : {-0.35, 0.35}) {
      world.add_shape(body, std::make_shared<Visual>(Box({0.05, 0.05, 0.7}).surface()), {},
                      {x, y, -0.35});
      world.add_contact(
          {.body_a = body, .body_b = ground, .point = {x, y, -0.7}, .normal = {0, 0, 1}, .mu = mu});
    }
  }
  return world;
}

World cylinder_ring(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const int ground = add_ground(world, mu);
  const double radius = 0.5;
  const double height = 0.4;
  Body cylinder;
  cylinder.mass = options.real("mass");
  cylinder.inertia = cylinder_inertia(cylinder.mass, radius, height);
  cylinder.position = {0, 0, 0.5 * height};
  cylinder.velocity = {options.real("speed"), 0, 0};
  cylinder.angular_velocity = {0, 0, options.real("spin")};
  const int body = world.add_body(cylinder);
  world.add_shape(body, std::make_shared<Visual>(Cylinder(radius, height).surface()));
  const auto points = static_cast<int>(options.integer("points"));
  for (int i = 0; i < points; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / points;
    world.add_contact({.body_a = body,
                       .body_b = ground,
                       .point = {radius * std::cos(angle), radius * std::sin(angle), -0.5 * height},
                       .normal = {0, 0, 1},
                       .mu = mu});
  }
  return world;
}

/// A thin rod of length 1 slides on its lower end, which leads the motion: friction presses it into
/// the ground, and no force would do for mu above (1 + 3 cos^2) / (3 sin cos). Impulses do.
World painleve_rod(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const int ground = add_ground(world, mu);
  const double theta = options.real("angle") * std::numbers::pi / 180.0;
  Body rod;
  rod.mass = 1.0;
  rod.inertia = box_inertia(1.0, {1.0, 1e-2, 1e-2});
  rod.position = {-0.5 * std::cos(theta), 0.0, 0.5 * std::sin(theta)};
  rod.orientation = rotation_about({0, 1, 0}, theta);
  rod.velocity = {options.real("speed"), 0, 0};
  const int body = world.add_body(rod);
  world.add_shape(body, std::make_shared<Visual>(Box({1.0, 0.02, 0.02}).surface()));
  for (const double end : {0.5, -0.5}) {
    world.add_contact(
        {.body_a = body, .body_b = ground, .point = {end, 0, 0}, .normal = {0, 0, 1}, .mu = mu});
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> balance_scenes() {
  const auto mu = [](double value) {
    return OptionSpec::real("mu", value, 0.0, 10.0, "friction coefficient");
  };
  return {
      {"a-frame",
       "two leaning cards stand iff mu >= tan(angle) / 2",
       {OptionSpec::real("angle", 20.0, 1.0, 80.0, "of the cards from the vertical, degrees"),
        mu(0.2)},
       120,
       a_frame},
      {"overhang",
       "a block over a table's edge tips iff more than half of it overhangs",
       {OptionSpec::real("overhang", 0.49, 0.0, 1.0, "share of the block's length (1 m)"), mu(0.5)},
       120,
       overhang},
      {"harmonic-stack",
       "n blocks overhang by at most sum L / (2k)",
       {OptionSpec::integer("blocks", 4, 1, 50, "number of blocks"),
        OptionSpec::real("scale", 0.98, 0.0, 2.0, "of the limiting overhang"), mu(0.5)},
       120,
       harmonic_stack},
      {"capstan",
       "a chain around a drum holds T2 / T1 = e^(mu wrap)",
       {OptionSpec::integer("nodes", 16, 2, 4096, "nodes of the chain on the drum"), mu(0.3),
        OptionSpec::real("wrap", 3.141592653589793, 0.1, 30.0, "angle on the drum, rad"),
        OptionSpec::real("tension", 1.0, 1e-6, 1e6, "T1, N"),
        OptionSpec::real("load", 0.999, 0.0, 10.0, "T2 as a share of the limit of slipping")},
       60,
       capstan},
      {"four-leg-table",
       "statically indeterminate: only the sum of the leg forces is known",
       {OptionSpec::real("mass", 4.7, 1e-3, 1e6, "kg"), mu(0.7),
        OptionSpec::real("speed", 0.0, -10.0, 10.0, "m/s along x")},
       120,
       four_leg_table},
      {"cylinder-ring",
       "a cylinder on a ring of redundant contacts",
       {OptionSpec::real("mass", 10.0, 1e-3, 1e6, "kg"), mu(0.5),
        OptionSpec::integer("points", 32, 3, 4096, "contact points on the ring"),
        OptionSpec::real("speed", 1.0, -10.0, 10.0, "m/s along x"),
        OptionSpec::real("spin", 0.0, -100.0, 100.0, "rad/s")},
       120,
       cylinder_ring},
      {"painleve-rod",
       "sliding rod without a force solution: an impulse must be found",
       {OptionSpec::real("angle", 63.43494882292201, 1.0, 89.0,
                         "of the rod from the ground, degrees"),
        mu(1.6), OptionSpec::real("speed", 2.0, -100.0, 100.0, "m/s towards the lower end")},
       60,
       painleve_rod},
  };
}

}  // namespace nsn
