// Scenes of sliding and rolling with closed-form motion.
#include <cmath>
#include <memory>
#include <numbers>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/visual.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// Slope falls along +x; body 1 is the box.
World box_on_incline(const Options& options) {
  World world;
  const double angle = std::atan(options.real("slope"));
  const Quaternion tilt = rotation_about({0, 1, 0}, angle);
  Body ground;
  ground.kind = BodyKind::kStatic;
  ground.orientation = tilt;
  const int plane = world.add_body(ground);
  world.add_shape(plane, std::make_shared<Plane>(), {.mu = options.real("mu")});
  const double size = options.real("size");
  const Vec3 normal = rotation_matrix(tilt) * Vec3{0, 0, 1};
  add_box(world, {size, size, 0.5 * size}, options.real("mass"), 0.25 * size * normal,
          options.real("mu"), tilt);
  return world;
}

World sliding_box(const Options& options) {
  World world;
  add_ground(world, options.real("mu"));
  const double size = options.real("size");
  const int box = add_box(world, {size, size, size}, options.real("mass"), {0, 0, 0.5 * size},
                          options.real("mu"));
  world.body(box).velocity = {options.real("speed"), 0, 0};
  return world;
}

World rolling_ball(const Options& options) {
  World world;
  add_ground(world, options.real("mu"));
  const double radius = options.real("radius");
  const int ball = add_ball(world, radius, 1.0, {0, 0, radius}, options.real("mu"));
  world.body(ball).velocity = {options.real("speed"), 0, 0};
  return world;
}

SurfaceMesh disc_surface(double radius, double height) {
  constexpr int kSides = 32;
  SurfaceMesh mesh;
  std::vector<int> top;
  std::vector<int> bottom;
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kSides;
    mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), 0.5 * height});
    mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), -0.5 * height});
    top.push_back(2 * i);
    bottom.insert(bottom.begin(), 2 * i + 1);
    const int next = (i + 1) % kSides;
    mesh.polygons.push_back({2 * i, 2 * i + 1, 2 * next + 1, 2 * next});
  }
  mesh.polygons.push_back(top);
  mesh.polygons.push_back(bottom);
  return mesh;
}

/// Contact points spread evenly over the disc (ring k of n carries 6k points, one in the middle).
/// They are slightly compliant, so that all carry the same load.
World spinning_disc(const Options& options) {
  World world;
  const double radius = options.real("radius");
  const double height = 0.01 * radius;
  const double mu = options.real("mu");
  const int ground = add_ground(world, mu, 20.0 * radius);
  Body disc;
  disc.mass = 1.0;
  disc.inertia = cylinder_inertia(1.0, radius, height);
  disc.position = {0, 0, 0.5 * height};
  disc.velocity = {options.real("speed"), 0, 0};
  disc.angular_velocity = {0, 0, options.real("spin")};
  const int body = world.add_body(disc);
  world.add_shape(body, std::make_shared<Visual>(disc_surface(radius, height)));
  const auto rings = static_cast<int>(options.integer("rings"));
  for (int k = 0; k <= rings; ++k) {
    const int points = k == 0 ? 1 : 6 * k;
    for (int i = 0; i < points; ++i) {
      const double angle = 2.0 * std::numbers::pi * (i + 0.5) / points;
      const double r = radius * k / (rings + 0.5);
      world.add_contact({.body_a = body,
                         .body_b = ground,
                         .point = {r * std::cos(angle), r * std::sin(angle), -0.5 * height},
                         .normal = {0, 0, 1},
                         .mu = mu,
                         .compliance = options.real("compliance")});
    }
  }
  return world;
}

/// Body 1 is the plate, bodies 2 ... 26 the balls.
World balls_on_plate(const Options& options) {
  World world;
  add_ground(world, 1.0, 12.0);
  const int plate = add_box(world, {3.0, 3.0, 0.1}, 10.0, {0, 0, 0.05}, 1.0);
  world.set_pair({0, 1, options.real("mu_ground")});
  const double angle = options.real("direction") * std::numbers::pi / 180.0;
  const double force = options.real("force");
  world.body(plate).force = {force * std::cos(angle), force * std::sin(angle), 0.0};
  const double radius = 0.1;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      add_ball(world, radius, 1.0, {0.5 * (i - 2), 0.5 * (j - 2), 0.1 + radius}, 1.0);
      world.set_pair({1, static_cast<int>(world.shapes().size()) - 1, options.real("mu_ball")});
    }
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> sliding_scenes() {
  const auto mu = [](double value) {
    return OptionSpec::real("mu", value, 0.0, 10.0, "friction coefficient");
  };
  return {
      {"box-on-incline",
       "sticks iff slope <= mu, else a = g (sin - mu cos); four redundant contacts",
       {OptionSpec::real("slope", 0.51, 0.0, 10.0, "tangent of the slope"), mu(0.5),
        OptionSpec::real("mass", 1.0, 1e-6, 1e9, "kg"),
        OptionSpec::real("size", 1.0, 1e-3, 1e3, "width of the box, m; its height is half of it")},
       120,
       box_on_incline},
      {"sliding-box",
       "a cube slows down by friction: stops after v0^2 / (2 mu g)",
       {OptionSpec::real("speed", 3.0, -100.0, 100.0, "v0, m/s"), mu(0.5),
        OptionSpec::real("mass", 1.0, 1e-6, 1e9, "kg"),
        OptionSpec::real("size", 1.0, 1e-3, 1e3, "edge of the cube, m")},
       120,
       sliding_box},
      {"rolling-ball",
       "a sliding ball ends up rolling at 5/7 v0 after 2 v0 / (7 mu g)",
       {OptionSpec::real("speed", 2.0, -100.0, 100.0, "v0, m/s"), mu(0.3),
        OptionSpec::real("radius", 0.1, 1e-4, 1e3, "m")},
       120,
       rolling_ball},
      {"spinning-disc",
       "sliding and spinning of a disc end together, v / (R w) -> 0.653",
       {OptionSpec::real("speed", 0.5, 0.0, 100.0, "m/s"),
        OptionSpec::real("spin", 10.0, 0.0, 1000.0, "rad/s"), mu(0.3),
        OptionSpec::real("radius", 0.1, 1e-3, 10.0, "m"),
        OptionSpec::integer("rings", 4, 1, 30, "rings of contact points, 6k on ring k"),
        OptionSpec::real("compliance", 1e-6, 0.0, 1e-2, "of each contact point, m/N")},
       120,
       spinning_disc},
      {"balls-on-plate",
       "25 balls on a pushed plate: a = 0.7385 and 0.2110 m/s^2 in any direction",
       {OptionSpec::real("force", 150.0, 0.0, 1e4, "N, on the plate"),
        OptionSpec::real("direction", 45.0, -360.0, 360.0, "of the push, degrees from x"),
        OptionSpec::real("mu_ground", 0.4, 0.0, 10.0, "friction of plate and ground"),
        OptionSpec::real("mu_ball", 0.8, 0.0, 10.0, "friction of balls and plate")},
       240,
       balls_on_plate},
  };
}

}  // namespace nsn
