// Scenes in which mechanisms hold deformable bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "nsn/models/collision/box.h"
#include "nsn/models/deformable/deformable.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/scenes/workpieces.h"

namespace nsn {
namespace {

/// 0 until `start`, 1 from `end` on, smooth between.
double ramp(double time, double start, double end) {
  const double t = std::clamp((time - start) / (end - start), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

/// A box of a mechanism; one that touches nothing is only drawn.
int add_part(World& world, const std::string& name, const Vec3& size, double mass,
             const Vec3& position, double mu, bool touches = true) {
  const int b = add_box(world, size, mass, position, mu);
  world.body(b).name = name;
  const auto shape = static_cast<int>(world.shapes().size()) - 1;
  if (!touches) world.set_filter(shape, {.category = 0, .mask = 0});
  return b;
}

/// A gantry with two fingers takes a soft ball from a table, carries it and puts it on a scale.
World soft_grasp(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const double radius = options.real("radius");
  world.margin = 0.001;
  const int ground = add_ground(world, mu, 1.0);
  const double table = 0.05;
  const double scale = 0.12;
  const double far = 0.25;
  add_static_box(world, {0.12, 0.12, table}, {0.0, 0.0, 0.5 * table}, mu);
  add_soft_ball(world, options, {0.0, 0.0, table + radius + 1e-4});
  add_scale(world, ground, {far, 0.0, scale}, options.real("spring"), mu);

  const double top = table + radius + 0.12;
  const int slide = add_part(world, "slide", {0.04, 0.04, 0.02}, 1.0, {0.0, 0.0, top}, mu, false);
  const int carriage =
      add_part(world, "carriage", {0.16, 0.04, 0.02}, 1.0, {0.0, 0.0, top - 0.05}, mu, false);
  Joint along = prismatic_joint(slide, ground);
  along.axes[0].drive = position_drive(0.0, 4e4, 4e3);
  const int j_along = world.add_joint(along, {.point = {0.0, 0.0, top}, .axis = {1, 0, 0}});
  Joint up = prismatic_joint(carriage, slide);
  up.axes[0].drive = position_drive(0.0, 4e4, 4e3);
  const int j_up = world.add_joint(up, {.point = {0.0, 0.0, top}, .axis = {0, 0, 1}});
  const double open = 0.02;  // between ball and finger
  std::array<int, 2> grips{};
  for (std::size_t k = 0; k < 2; ++k) {
    const double side = k == 0 ? -1.0 : 1.0;
    const Vec3 position{side * (radius + open + 0.005), 0.0, table + radius + 0.01};
    const int finger = add_part(world, "finger", {0.01, 0.04, 0.07}, 0.1, position, mu);
    Joint grip = prismatic_joint(finger, carriage);
    grip.axes[0].drive = position_drive(0.0, 5e3, 100.0);
    grip.axes[0].drive.max_effort = options.real("grip");
    grips[k] = world.add_joint(grip, {.point = position, .axis = {-side, 0, 0}});
  }
  // Close, lift, carry, lower until the ball stands on the plate, open, rise.
  const double lift = 0.11;
  const double lower = table + lift - (scale + 0.005);
  const double carry = options.real("carry");
  world.control = [=](World& w, double h) {
    const double t = w.time + h;
    const double closed = ramp(t, 0.1, 0.5) - ramp(t, carry + 2.0, carry + 2.3);
    for (const int j : grips) w.joint(j).axes[0].drive.target = closed * (open + 0.5 * radius);
    w.joint(j_up).axes[0].drive.target = lift * ramp(t, 0.7, 1.2) -
                                         lower * ramp(t, carry + 1.2, carry + 1.9) +
                                         lower * ramp(t, carry + 2.4, carry + 2.9);
    w.joint(j_along).axes[0].drive.target = far * ramp(t, 1.3, carry + 1.1);
  };
  return world;
}

/// One finger of a hand: knuckle, three phalanges and a tip, straight up from `base`. Returns its
/// three bending joints, from the palm outwards; positive angles bend towards the axis of the hand.
std::array<int, 3> add_finger(World& world, int palm, const Vec3& base, const Vec3& outwards,
                              double effort, double mu) {
  const Vec3 bending{outwards[1], -outwards[0], 0.0};
  const double thickness = 0.008;
  const int knuckle =
      add_part(world, "knuckle", {0.012, 0.012, 0.01}, 0.02, base + Vec3{0, 0, 0.005}, mu, false);
  Joint spread = revolute_joint(knuckle, palm);
  spread.name = "spread";
  spread.axes[0].drive = position_drive(0.0, 20.0, 0.2);
  world.add_joint(spread, {.point = base, .axis = outwards});
  std::array<int, 3> bends{};
  const std::array<double, 3> lengths{0.045, 0.03, 0.022};
  int last = knuckle;
  Vec3 from = base + Vec3{0, 0, 0.01};
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const Vec3 middle = from + Vec3{0, 0, 0.5 * lengths[k]};
    const int link = add_capsule(world, thickness, lengths[k] - thickness, 0.03, middle, mu);
    world.body(link).name = "phalanx";
    Joint bend = revolute_joint(link, last);
    bend.name = "bend";
    bend.axes[0].drive = position_drive(0.0, 2.0, 0.02);
    bend.axes[0].drive.max_effort = effort;
    bend.axes[0].limit = {-0.2, 1.8};
    bends[k] = world.add_joint(bend, {.point = from, .axis = bending});
    from = from + Vec3{0, 0, lengths[k]};
    last = link;
  }
  const int tip = add_ball(world, thickness, 0.01, from, mu);
  world.body(tip).name = "tip";
  world.add_joint(fixed_joint(tip, last), {.point = from});
  return bends;
}

/// A hand of a palm and four fingers squeezes a soft ball and turns over.
World hand_ball(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const double radius = options.real("radius");
  world.margin = 0.001;
  Body stand;
  stand.name = "stand";
  stand.kind = BodyKind::kStatic;
  const int anchor = world.add_body(stand);
  const Vec3 centre{0.0, 0.0, 0.3};
  const Vec3 size{0.1, 0.1, 0.02};
  const int palm = add_part(world, "palm", size, 0.4, centre, mu);
  Joint wrist = revolute_joint(palm, anchor);
  wrist.name = "wrist";
  wrist.axes[0].drive = position_drive(0.0, 500.0, 20.0);
  const int j_wrist = world.add_joint(wrist, {.point = centre, .axis = {1, 0, 0}});
  const Vec3 top = centre + Vec3{0, 0, 0.5 * size[2]};
  add_soft_ball(world, options, top + Vec3{0, 0, radius + 1e-4});
  std::vector<std::array<int, 3>> fingers;
  for (int k = 0; k < 4; ++k) {
    const double angle = 0.5 * std::numbers::pi * (k + 0.5);
    const Vec3 outwards{std::cos(angle), std::sin(angle), 0.0};
    fingers.push_back(add_finger(world, palm, top + (radius + 0.015) * outwards, outwards,
                                 options.real("effort"), mu));
  }
  const double turn = options.real("turn");
  world.control = [=](World& w, double h) {
    const double t = w.time + h;
    const double closed = ramp(t, 0.0, 0.6);
    const std::array<double, 3> goal{0.3, 1.1, 1.0};
    for (const auto& bends : fingers) {
      for (std::size_t k = 0; k < 3; ++k) {
        w.joint(bends[k]).axes[0].drive.target = closed * goal[k];
      }
    }
    w.joint(j_wrist).axes[0].drive.target = std::numbers::pi * ramp(t, 0.8, 0.8 + turn);
  };
  return world;
}

}  // namespace

std::vector<SceneInfo> grasp_scenes() {
  return {
      {"soft-grasp",
       "two driven fingers carry a soft ball onto a scale whose needle reads its weight",
       joined(soft_ball_options(320),
              {OptionSpec::real("grip", 8.0, 0.0, 1e4, "largest force of a finger, N"),
               OptionSpec::real("spring", 400.0, 1.0, 1e6, "of the scale, N/m"),
               OptionSpec::real("carry", 5.0, 0.5, 100.0, "time it is carried, s")}),
       1140, soft_grasp},
      {"hand-ball", "a hand of four fingers squeezes a soft ball and holds it upside down",
       joined(
           soft_ball_options(427),
           {OptionSpec::real("effort", 0.15, 0.0, 100.0, "largest torque of a finger's joint, N m"),
            OptionSpec::real("turn", 1.5, 0.1, 100.0, "time to turn over, s")}),
       880, hand_ball},
  };
}

}  // namespace nsn
