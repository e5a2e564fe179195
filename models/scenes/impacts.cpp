// Free flight, impacts and resistance to rolling, with closed-form motion.
#include <cmath>
#include <memory>
#include <numbers>

#include "nsn/models/collision/box.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

/// Two boxes on a common ball joint, in free flight: a body without any row would need no method.
World free_flight(const Options& options) {
  World world;
  world.gravity = {0.0, 0.0, -options.real("gravity")};
  const double spin = options.real("spin");
  const double arm = 0.25;
  int body[2];
  for (int k = 0; k < 2; ++k) {
    const Vec3 position{0.0, k == 0 ? -arm : arm, 0.0};
    body[k] = add_box(world, {0.2, 0.4, 0.1}, 1.0, position, 0.5);
    world.body(body[k]).velocity =
        Vec3{options.real("speed"), 0.0, 0.0} + cross(Vec3{0.0, 0.0, spin}, position);
    world.body(body[k]).angular_velocity = {0.0, 0.0, spin};
  }
  world.add_joint(spherical_joint(body[0], body[1]), {.point = {0.0, 0.0, 0.0}});
  return world;
}

/// A ball falls on the ground; body 1.
World bouncing_ball(const Options& options) {
  World world;
  world.restitution_threshold = options.real("threshold");
  add_ground(world, 0.5);
  const double radius = 0.1;
  add_ball(world, radius, 1.0, {0, 0, radius + options.real("height")}, 0.5);
  Surface surface;
  surface.restitution = options.real("restitution");
  world.set_surface(1, surface);
  return world;
}

/// Balls on V-shaped strings; bodies 1 ... n. The first ones are lifted.
World newtons_cradle(const Options& options) {
  World world;
  Body frame;
  frame.kind = BodyKind::kStatic;
  const int anchor = world.add_body(frame);
  const auto balls = static_cast<int>(options.integer("balls"));
  const auto lifted = static_cast<int>(options.integer("lifted"));
  const double radius = options.real("radius");
  const double length = options.real("length");
  const double angle = options.real("angle") * std::numbers::pi / 180.0;
  const double pitch = 2.0 * radius + options.real("gap");
  world.margin = 0.1 * radius;
  for (int k = 0; k < balls; ++k) {
    const double x = (k - 0.5 * (balls - 1)) * pitch;
    const double turn = k < lifted ? angle : 0.0;
    const Vec3 centre{x - length * std::sin(turn), 0.0, -length * std::cos(turn)};
    const int ball = add_ball(world, radius, 1.0, centre, 0.0);
    Surface surface;
    surface.mu = 0.0;
    surface.restitution = options.real("restitution");
    world.set_surface(static_cast<int>(world.shapes().size()) - 1, surface);
    for (const double side : {-0.5 * length, 0.5 * length}) {
      const Vec3 hook{x, side, 0.0};
      world.add_joint(distance_joint(ball, {}, anchor, hook, norm(centre - hook)));
    }
  }
  for (const double side : {-0.5 * length, 0.5 * length}) {
    world.add_shape(anchor, std::make_shared<Box>(Vec3{pitch * balls, 0.3 * radius, 0.3 * radius}),
                    {}, {0, side, 0});
  }
  return world;
}

/// A ball rolls and spins to a stop: deceleration 5/7 l_r g / R.
World rolling_resistance(const Options& options) {
  World world;
  add_ground(world, 0.8);
  const double radius = options.real("radius");
  const double speed = options.real("speed");
  const int ball = add_ball(world, radius, 1.0, {0, 0, radius}, 0.8);
  world.body(ball).velocity = {speed, 0, 0};
  world.body(ball).angular_velocity = {0, speed / radius, options.real("spin")};
  Surface surface;
  surface.mu = 0.8;
  surface.rolling = options.real("rolling");
  surface.spinning = options.real("spinning");
  world.set_surface(1, surface);
  return world;
}

}  // namespace

std::vector<SceneInfo> impact_scenes() {
  return {
      {"free-flight",
       "two boxes on a ball joint fly: their speed and energy stay",
       {OptionSpec::real("speed", 10.0, 0.0, 1e3, "m/s"),
        OptionSpec::real("spin", 0.0, -1e3, 1e3, "about the vertical, rad/s"),
        OptionSpec::real("gravity", 0.0, 0.0, 1e3, "m/s^2")},
       120,
       free_flight},
      {"bouncing-ball",
       "a ball rebounds to e^2 of its height each time",
       {OptionSpec::real("height", 1.0, 0.0, 1e3, "of the fall, m"),
        OptionSpec::real("restitution", 0.8, 0.0, 1.0, "e"),
        OptionSpec::real("threshold", 0.05, 0.0, 10.0, "slower impacts do not rebound, m/s")},
       480,
       bouncing_ball},
      {"newtons-cradle",
       "one ball in, one ball out: e = 1, gaps wider than the path of a step",
       {OptionSpec::integer("balls", 5, 2, 100, "number of balls"),
        OptionSpec::integer("lifted", 1, 0, 100, "how many are lifted"),
        OptionSpec::real("angle", 25.0, 0.0, 80.0, "of the lifted ones, degrees"),
        OptionSpec::real("restitution", 1.0, 0.0, 1.0, "e"),
        OptionSpec::real("gap", 0.015, 0.0, 1.0, "between balls, m"),
        OptionSpec::real("radius", 0.1, 1e-3, 10.0, "m"),
        OptionSpec::real("length", 1.0, 1e-2, 100.0, "height of the frame over the balls, m")},
       480,
       newtons_cradle},
      {"rolling-resistance",
       "a rolling ball stops with 5/7 l g / R, its spin with 5/2 l g / R^2",
       {OptionSpec::real("speed", 1.0, -100.0, 100.0, "m/s"),
        OptionSpec::real("spin", 10.0, -1e3, 1e3, "about the vertical, rad/s"),
        OptionSpec::real("radius", 0.1, 1e-3, 10.0, "R, m"),
        OptionSpec::real("rolling", 0.005, 0.0, 1.0, "length of rolling resistance, m"),
        OptionSpec::real("spinning", 0.002, 0.0, 1.0, "length of spinning resistance, m")},
       480,
       rolling_resistance},
  };
}

}  // namespace nsn
