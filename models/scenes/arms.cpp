// An arm on a lift carries a soft tomato to a scale, and inserts a beam into its socket.
#include <algorithm>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "nsn/models/scenes/mobile_manipulator.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/scenes/workpieces.h"

namespace nsn {
namespace {

constexpr double kOpen = 0.048;  // a finger's coordinate, m

/// The gripper from above, its fingers turned about the vertical: 0: they open along y.
Quaternion downwards(double turn) {
  return rotation_about({0, 0, 1}, turn) * rotation_about({0, 1, 0}, 0.5 * std::numbers::pi);
}

/// A script that starts with the open gripper at a place.
ArmScript start_at(const std::shared_ptr<const RobotDescription>& arm, const RigidFrame& place) {
  const ArmTool tool = mobile_manipulator_tool(*arm);
  // Elbow up, gripper down.
  const std::vector<double> guess{0.2, 0.0, -0.3, 0.0, 1.4, 0.0, 0.5, 0.0, kOpen, kOpen};
  return {arm, tool, reach(*arm, tool, guess, place)};
}

/// The arm where its script starts, driven along it.
Robot add_arm(World& world, const std::shared_ptr<const RobotDescription>& arm,
              const ArmScript& script, double mu, const Options& options) {
  RobotBuildOptions build;
  build.q = script.at(0.0).q;
  build.self_collision = false;
  build.mu = mu;
  Robot robot = build_robot(world, arm, build);
  set_mobile_manipulator_drives(world, robot, options.real("grip"), options.real("arm"));
  world.control = [robot, script](World& w, double h) { script.follow(w, robot, w.time + h); };
  return robot;
}

/// Shapes of the links that degrees of freedom move.
std::vector<int> shapes_of(const World& world, const Robot& robot, const std::vector<int>& dofs) {
  std::vector<int> shapes;
  for (const int d : dofs) {
    const int body = robot.body_of_link[static_cast<std::size_t>(robot.at(d).link)];
    for (std::size_t s = 0; s < world.shapes().size(); ++s) {
      if (world.shapes()[s].body == body) shapes.push_back(static_cast<int>(s));
    }
  }
  return shapes;
}

World arm_tomato(const Options& options) {
  World world;
  const double mu = options.real("mu");
  const double radius = options.real("radius");
  world.margin = 0.001;
  const int ground = add_ground(world, mu, 1.5);
  const double table = 0.55;
  const Vec3 tomato{0.62, 0.16, table + radius + 1e-4};
  const Vec3 plate{0.62, -0.18, 0.6};
  add_static_box(world, {0.3, 0.24, table}, {tomato[0], tomato[1], 0.5 * table}, mu);
  add_static_box(world, {0.2, 0.2, 0.46}, {plate[0], plate[1], 0.23}, mu);
  add_soft_ball(world, options, tomato);
  add_scale(world, ground, plate, options.real("spring"), mu);

  const Quaternion down = downwards(0.0);
  const double over = 0.012;  // fingers stay off the table
  const auto above = [&](const Vec3& at, double height) {
    return RigidFrame{at + Vec3{0, 0, over + height}, down};
  };
  const Vec3 weighed{plate[0], plate[1], plate[2] + 0.005 + radius};  // it stands on the plate
  const auto arm = std::make_shared<const RobotDescription>(mobile_manipulator());
  ArmScript script = start_at(arm, above(tomato, 0.06));
  script.move(0.4, above(tomato, 0.0)).grip(0.4, 0.5 * radius).rest(0.2);
  script.move(0.6, above(tomato, 0.12)).move(options.real("carry"), above(weighed, 0.08));
  script.move(0.8, above(weighed, 0.0)).rest(0.1).grip(0.4, kOpen).move(0.8, above(weighed, 0.15));
  add_arm(world, arm, script, mu, options);
  return world;
}

/// The beam lies on a table along y; the arm takes it at its tail, lifts it to the height of the
/// socket and pushes it in, lets go and rises.
World arm_beam(const Options& options) {
  World world;
  world.margin = 1e-3;
  const double mu = options.real("mu");
  add_ground(world, mu, 1.5);
  const double length = kBeamPiece * static_cast<double>(options.integer("pieces"));
  const double table = 0.6;
  const double x = 0.55;
  const double tail = 0.38;
  const double lift = 0.03;
  const double grasped = tail - 0.018;
  const Quaternion ahead = rotation_about({0, 0, 1}, -0.5 * std::numbers::pi);  // along -y
  const Vec3 nose{x, tail - length, table + 0.5 * kBeamWidth};
  const Vec3 mouth{x, nose[1] - 0.06, nose[2] + lift};
  const double out = 0.08;  // stays out of the socket, in the gripper
  const double depth = length - out + 0.01;
  add_static_box(world, {0.2, length + 0.02, table}, {x, tail - 0.5 * length, 0.5 * table}, mu);
  add_socket(world, options, {mouth, ahead}, depth);
  const std::vector<int> beam = add_beam(world, options, {nose, ahead});

  const double offset = options.real("offset");
  const Quaternion down = downwards(0.5 * std::numbers::pi);
  const auto at = [&](double along, double height) {
    const Vec3 aside = height > 0.0 ? offset * Vec3{1.0, 0.0, 0.7} : Vec3{};
    return RigidFrame{Vec3{x, grasped - along, nose[2] + 0.028 + height} + aside, down};
  };
  const double way = 0.06 + length - out;
  const auto arm = std::make_shared<const RobotDescription>(mobile_manipulator());
  ArmScript script = start_at(arm, at(0.0, 0.0));
  script.rest(0.1).grip(0.4, 0.0).rest(0.1).move(0.6, at(0.0, lift));
  script.move(options.real("time"), at(way, lift)).rest(0.2).grip(0.4, kOpen);
  script.move(0.8, at(way, lift + 0.12));
  const Robot robot = add_arm(world, arm, script, mu, options);
  set_contact_compliance(world, options.real("compliance"));
  for (const int f : shapes_of(world, robot, {8, 9})) {
    for (int s = 0; s < static_cast<int>(world.shapes().size()); ++s) {
      const int body = world.shapes()[static_cast<std::size_t>(s)].body;
      const bool piece = std::find(beam.begin(), beam.end(), body) != beam.end();
      if (piece) world.set_pair({.shape_a = f, .shape_b = s, .mu = options.real("grip-mu")});
    }
  }
  return world;
}

}  // namespace

std::vector<SceneInfo> arm_scenes() {
  return {
      {"arm-tomato",
       "an arm with a lift and two fingers puts a soft tomato on a scale whose needle reads its "
       "weight",
       joined(soft_ball_options(319),
              {OptionSpec::real("grip", 8.0, 0.0, 60.0, "largest force of a finger, N"),
               OptionSpec::real("arm", 1.0, 1e-3, 1e3, "stiffness of the drives, 1: 2 kN m/rad"),
               OptionSpec::real("spring", 400.0, 1.0, 1e6, "of the scale, N/m"),
               OptionSpec::real("carry", 2.0, 0.5, 100.0, "time it is carried, s")}),
       840, arm_tomato},
      {"arm-beam",
       "the same arm takes a flexible beam of 16 pieces by its tail and inserts it into a socket",
       joined(beam_options(),
              {OptionSpec::real("offset", 0.0, -5e-3, 5e-3, "of the gripper from the socket, m"),
               OptionSpec::real("grip", 40.0, 0.0, 60.0, "largest force of a finger, N"),
               OptionSpec::real("arm", 1.0, 1e-3, 1e3, "stiffness of the drives, 1: 2 kN m/rad"),
               OptionSpec::real("grip-mu", 0.8, 0.0, 10.0, "friction of fingers and beam"),
               OptionSpec::real("time", 2.5, 0.2, 100.0, "that the insertion takes, s"),
               contact_compliance_option(1e-7)}),
       720, arm_beam},
  };
}

}  // namespace nsn
