// Two-armed robots that open drawers by friction, each an island of its own.
#include <array>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/robots/arm_script.h"
#include "nsn/models/scenes/parts.h"
#include "nsn/models/scenes/robot_files.h"
#include "nsn/models/scenes/scene.h"

namespace nsn {
namespace {

constexpr int kColumns = 20;          // of the grid: a place does not depend on how many there are
constexpr double kSpacing = 2.0;      // of the grid, m
constexpr double kYaw = 1.3;          // of the robots about the vertical, rad
constexpr double kFront = 0.6;        // x of the drawers' fronts in the robot's base, m
constexpr double kHeight = 0.13;      // of the robot's base over the floor, m
constexpr double kHandle = 0.25;      // z of the handle it pulls, in the robot's base, m
constexpr double kStandOff = 0.04;    // of the handle's bar from the front, m
constexpr double kShut = -0.01;       // target of a finger that grips, m
constexpr double kBar = 0.012;        // thickness of the bar, m
const Vec3 kDrawer{0.36, 0.38, 0.2};  // depth, width, height, m

/// What differs from cabinet to cabinet.
struct Variation {
  Vec3 handle;         ///< of the bar from the middle of its drawer, m
  Vec3 mistaken;       ///< where the robot takes the handle to be, from where it is, m
  double mu = 0.0;     ///< of fingers and handle
  double brake = 0.0;  ///< friction of the slide, N
};

Variation draw(SceneRandom& random, const Options& options) {
  Variation v;
  const double spread = options.real("spread");
  const double mistake = options.real("mistake");
  v.handle = {0.0, random.uniform(-spread, spread), random.uniform(-spread, spread)};
  for (int i = 0; i < 3; ++i) v.mistaken[i] = random.uniform(-mistake, mistake);
  v.mu = random.uniform(options.real("mu-least"), options.real("mu-most"));
  v.brake = random.uniform(options.real("brake-least"), options.real("brake-most"));
  return v;
}

Vec3 centre_of(const std::vector<BoxPart>& parts) {
  Vec3 sum;
  double volume = 0.0;
  for (const BoxPart& part : parts) {
    const double v = part.size[0] * part.size[1] * part.size[2];
    sum += v * part.centre;
    volume += v;
  }
  return (1.0 / volume) * sum;
}

/// A drawer on its slide and the handle fixed to it. `front` is the middle of the front's outside,
/// x into the cabinet. Returns the slide; positive is open.
int add_drawer(World& world, int cabinet, const RigidFrame& front, const Vec3& handle, double brake,
               double mu, int group) {
  const double wall = 0.012;
  const auto [depth, width, height] = std::array{kDrawer[0], kDrawer[1], kDrawer[2]};
  const std::vector<BoxPart> parts{
      {{wall, width, height}, {0.5 * wall, 0, 0}},
      {{depth, width - 0.04, wall}, {0.5 * depth, 0, -0.4 * height}},
      {{depth, wall, 0.6 * height}, {0.5 * depth, 0.5 * width - 0.03, -0.1 * height}},
      {{depth, wall, 0.6 * height}, {0.5 * depth, -0.5 * width + 0.03, -0.1 * height}}};
  const Vec3 centre = centre_of(parts);
  const auto set_group = [&](std::size_t first) {
    for (auto s = first; s < world.shapes().size(); ++s) {
      world.set_filter(static_cast<int>(s), {.group = group});
    }
  };
  const std::size_t first = world.shapes().size();
  const int drawer = add_boxes(world, parts, 2.0, front.point(centre), mu, front.rotation);
  world.body(drawer).name = "drawer";
  const double length = 0.12;
  const double post = kStandOff - 0.5 * kBar;
  const Vec3 bar = handle - Vec3{kStandOff, 0, 0};
  const Quaternion across = front.rotation * rotation_about({1, 0, 0}, 0.5 * std::numbers::pi);
  const int grip = add_capsule(world, 0.5 * kBar, length, 0.1, front.point(bar), mu, across);
  for (const double side : {-0.5, 0.5}) {  // posts at its ends; body axes: z along the bar
    world.add_shape(grip, std::make_shared<Box>(Vec3{post, kBar, kBar}), {.mu = mu},
                    {0.5 * kStandOff, 0.0, side * length});
  }
  world.body(grip).name = "handle";
  set_group(first);
  world.add_joint(fixed_joint(grip, drawer), {.point = front.point(handle)});
  Joint slide = prismatic_joint(drawer, cabinet);
  slide.name = "slide";
  slide.axes[0].limit = {0.0, 0.3};
  slide.axes[0].friction = brake;
  slide.axes[0].spring.damping = 2.0;
  return world.add_joint(slide, {.point = front.position, .axis = front.direction({-1, 0, 0})});
}

/// Three rows of two drawers in a case. Returns the slide of the one the robot opens.
int add_cabinet(World& world, const RigidFrame& base, const Variation& v, int group) {
  const double wall = 0.015;
  const double pitch_y = kDrawer[1] + 2.0 * wall;
  const double pitch_z = kDrawer[2] + wall;
  const double depth = kDrawer[0] + 0.03;
  // Between the two of the middle row.
  const RigidFrame middle = base * RigidFrame{{kFront, 0.0, kHandle}, {}};
  Body body;
  body.name = "cabinet";
  body.kind = BodyKind::kStatic;
  body.position = middle.position;
  body.orientation = middle.rotation;
  const int cabinet = world.add_body(body);
  const auto board = [&](const Vec3& size, const Vec3& at) {
    const int s = world.add_shape(cabinet, std::make_shared<Box>(size), {.mu = v.mu}, at);
    world.set_filter(s, {.group = group});
  };
  const double width = 2.0 * pitch_y;
  const double height = 3.0 * pitch_z;
  const double x = 0.5 * depth + 0.02;  // behind the fronts
  for (const double side : {-1.0, 0.0, 1.0}) {
    board({depth, wall, height}, {x, side * 0.5 * (width - wall), 0});
  }
  board({depth, width, wall}, {x, 0, 0.5 * height + 0.5 * wall});
  board({depth, width, wall}, {x, 0, -0.5 * height - 0.5 * wall});
  board({wall, width, height}, {x + 0.5 * depth + 0.5 * wall, 0, 0});
  int pulled = -1;
  for (int row = -1; row <= 1; ++row) {
    for (const double side : {-1.0, 1.0}) {
      const bool mine = row == 0 && side < 0.0;
      const RigidFrame front = middle * RigidFrame{{0, 0.5 * side * pitch_y, row * pitch_z}, {}};
      const int slide =
          add_drawer(world, cabinet, front, mine ? v.handle : Vec3{}, v.brake, v.mu, group);
      if (mine) pulled = slide;
    }
  }
  return pulled;
}

/// The description without contacts among the robot's own links: hulls of its bent links overlap.
std::shared_ptr<const RobotDescription> without_self_contact(const RobotDescription& source) {
  RobotDescription robot = source;
  for (int k = 0; k < robot.num_links(); ++k) robot.excluded.emplace_back(-1, k);
  return std::make_shared<const RobotDescription>(std::move(robot));
}

/// What the scene has to know of a robot: its right arm, and a pose in front of the cabinet.
struct KnownRobot {
  std::array<const char*, 7> right;  ///< joints from the shoulder on
  std::array<double, 7> pose;        ///< of these, roughly in front of the cabinet, rad
  std::array<const char*, 7> left;
  std::array<double, 7> aside;  ///< of these, out of the way
  std::array<const char*, 2> fingers;
  const char* gripper;  ///< link: z along its fingers, which open along x
};

/// Our own two arms, and YuMi's description for ROS.
const KnownRobot kKnownRobots[] = {
    {{"right_shoulder_pitch", "right_shoulder_roll", "right_upper_arm_yaw", "right_elbow",
      "right_forearm_yaw", "right_wrist_pitch", "right_wrist_yaw"},
     {-0.3, 0.3, 0.0, 1.9, 0.0, 0.0, 0.0},
     {"left_shoulder_pitch", "left_shoulder_roll", "left_upper_arm_yaw", "left_elbow",
      "left_forearm_yaw", "left_wrist_pitch", "left_wrist_yaw"},
     {-0.5, 0.4, 0.0, 2.2, 0.0, 0.0, 0.0},
     {"right_finger", "right_other_finger"},
     "right_gripper"},
    {{"yumi_joint_1_r", "yumi_joint_2_r", "yumi_joint_7_r", "yumi_joint_3_r", "yumi_joint_4_r",
      "yumi_joint_5_r", "yumi_joint_6_r"},
     {1.5, -1.6, -1.25, 0.2, -1.4, -0.65, -1.0},
     {"yumi_joint_1_l", "yumi_joint_2_l", "yumi_joint_7_l", "yumi_joint_3_l", "yumi_joint_4_l",
      "yumi_joint_5_l", "yumi_joint_6_l"},
     {-1.1, -2.0, 1.5, 0.4, -1.1, 0.8, 0.8},
     {"gripper_r_joint", "gripper_r_joint_m"},
     "gripper_r_base"},
};

const KnownRobot& known_robot(const RobotDescription& robot) {
  for (const KnownRobot& known : kKnownRobots) {
    if (robot.find_link(known.gripper) >= 0) return known;
  }
  throw std::invalid_argument(
      fmt::format("yumi-cabinet: {} is neither our own two-arms nor YuMi: it has no link '{}' or "
                  "'{}'",
                  robot.file, kKnownRobots[0].gripper, kKnownRobots[1].gripper));
}

struct RightArm {
  ArmTool tool;
  std::vector<double> guess;  ///< coordinates in front of the cabinet
};

/// The right arm and its gripper.
RightArm right_arm(const RobotDescription& robot) {
  const KnownRobot& known = known_robot(robot);
  RightArm arm;
  arm.guess = reference_coordinates(robot);
  const auto place = [&](const char* joint) {
    const auto [link, unused] = robot.find_joint(joint);
    NSN_THROW_UNLESS(link >= 0, "yumi-cabinet: the robot has no joint '{}'", joint);
    int dof = 0;
    for (int k = 0; k < link; ++k) dof += static_cast<int>(robot.link(k).joints.size());
    return dof;
  };
  for (std::size_t k = 0; k < known.right.size(); ++k) {
    arm.tool.arm.push_back(place(known.right[k]));
    arm.guess[static_cast<std::size_t>(arm.tool.arm.back())] = known.pose[k];
    arm.guess[static_cast<std::size_t>(place(known.left[k]))] = known.aside[k];
  }
  arm.tool.fingers = {place(known.fingers[0]), place(known.fingers[1])};
  arm.tool.link = robot.find_link(known.gripper);
  arm.tool.point = {0.0, 0.0, 0.119};  // between the fingers
  return arm;
}

/// Approach, close, pull, open, retreat. `handle` in the robot's base.
ArmScript opening(const std::shared_ptr<const RobotDescription>& robot, const RightArm& arm,
                  const Vec3& handle, double way) {
  // The gripper's z axis points at the cabinet, its fingers open up and down.
  const Quaternion ahead = rotation_about({0, 1, 0}, 0.5 * std::numbers::pi);
  const auto at = [&](double x, double z) { return RigidFrame{handle + Vec3{x, 0.0, z}, ahead}; };
  std::vector<double> start = reach(*robot, arm.tool, arm.guess, at(-0.12, 0.05));
  const double open = 0.022;
  for (const int d : arm.tool.fingers) start[static_cast<std::size_t>(d)] = open;
  ArmScript script(robot, arm.tool, std::move(start));
  script.move(0.4, at(-0.06, 0.0)).move(0.3, at(0.0, 0.0)).grip(0.3, kShut).rest(0.1);
  script.move(1.6, at(-way, 0.0)).rest(0.1).grip(0.3, open).move(0.4, at(-way - 0.06, 0.0));
  return script;
}

void set_drives(World& world, const Robot& robot) {
  for (int d = 0; d < static_cast<int>(robot.dofs.size()); ++d) {
    const RobotJoint& joint = robot.description->link(robot.at(d).link).joints[0];
    if (joint.mimic) continue;  // a finger that follows the other one
    const bool finger = joint.kind == RobotJointKind::kSlide;
    set_gains(world, robot, d, finger ? 1e3 : 200.0, finger ? 50.0 : 30.0);
  }
}

struct Opener {
  Robot robot;
  ArmScript script;
};

/// Body 0 is the floor, then 32 bodies of each: the robot's static base and 18 links, the cabinet,
/// six drawers with a handle each.
World yumi_cabinet(const Options& options) {
  const auto description = without_self_contact(*read_scene_robot(options, "yumi-cabinet"));
  const RightArm arm = right_arm(*description);
  World world;
  world.margin = 0.002;
  add_ground(world, 0.5, 0.5 * kSpacing * kColumns);
  auto all = std::make_shared<std::vector<Opener>>();
  const auto shapes = std::make_shared<RobotShapes>();
  const auto seed = static_cast<std::uint64_t>(options.integer("seed"));
  for (int i = 0; i < static_cast<int>(options.integer("count")); ++i) {
    SceneRandom random(1000003 * seed + static_cast<std::uint64_t>(i));
    const Variation v = draw(random, options);
    const double drawer_y = -0.5 * (kDrawer[1] + 0.03);
    const Vec3 handle = Vec3{kFront - kStandOff, drawer_y, kHandle} + v.handle;
    ArmScript script = opening(description, arm, handle + v.mistaken, options.real("way"));
    RobotBuildOptions build;
    const int line = i / kColumns;
    build.base.position = {kSpacing * (i % kColumns), kSpacing * line, kHeight};
    build.base.rotation = rotation_about({0, 0, 1}, kYaw);
    build.q = script.at(0.0).q;
    build.self_collision = false;
    build.mu = v.mu;
    build.group = i + 1;
    build.shape_pool = shapes;
    Robot robot = build_robot(world, description, build);
    set_drives(world, robot);
    add_cabinet(world, build.base, v, i + 1);
    all->push_back({std::move(robot), std::move(script)});
  }
  set_contact_compliance(world, options.real("compliance"));
  world.control = [all](World& w, double h) {
    for (const Opener& o : *all) o.script.follow(w, o.robot, w.time + h);
  };
  return world;
}

}  // namespace

std::vector<SceneInfo> cabinet_scenes() {
  return {
      {"yumi-cabinet",
       "our own robots of two arms grasp a handle and open a drawer by friction, each an island",
       {OptionSpec::integer("count", 200, 1, 100000, "number of robots with a cabinet each"),
        OptionSpec::real("way", 0.2, 0.0, 0.25, "that the gripper pulls, m"),
        OptionSpec::real("spread", 0.03, 0.0, 0.04, "of handles on their drawer, either way, m"),
        OptionSpec::real("mistake", 0.002, 0.0, 0.02,
                         "of where the robot takes the handle to be, either way, m"),
        OptionSpec::real("mu-least", 0.4, 0.0, 10.0, "friction of fingers and handle, from"),
        OptionSpec::real("mu-most", 0.9, 0.0, 10.0, "to"),
        OptionSpec::real("brake-least", 1.0, 0.0, 100.0, "friction of a drawer's slide, N, from"),
        OptionSpec::real("brake-most", 4.0, 0.0, 100.0, "to"), contact_compliance_option(1e-6),
        OptionSpec::integer("seed", 1, 0, 1e6, "of what differs among cabinets"),
        robot_file_option("two-arms")},
       480,
       yumi_cabinet},
  };
}

}  // namespace nsn
