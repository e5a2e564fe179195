#include "nsn/models/scenes/mobile_manipulator.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace nsn {
namespace {

constexpr double kPi = std::numbers::pi;

RobotJoint hinge(const std::string& name, const Vec3& axis, const JointLimit& limit,
                 double effort) {
  RobotJoint joint;
  joint.name = name;
  joint.axis = axis;
  joint.limit = limit;
  joint.effort = effort;
  return joint;
}

RobotJoint slide(const std::string& name, const Vec3& axis, const JointLimit& limit,
                 double effort) {
  RobotJoint joint = hinge(name, axis, limit, effort);
  joint.kind = RobotJointKind::kSlide;
  return joint;
}

RobotGeometry box(const Vec3& size, const Vec3& centre, double mass) {
  RobotGeometry g;
  g.kind = GeometryKind::kBox;
  g.size = 0.5 * size;
  g.frame.position = centre;
  g.mass = mass;
  return g;
}

/// A capsule along x from 0 to `length`.
RobotGeometry bone(double length, double radius, double mass) {
  RobotGeometry g;
  g.kind = GeometryKind::kCapsule;
  g.size = {radius, 0.5 * length, 0.0};
  g.frame = {{0.5 * length, 0.0, 0.0}, rotation_about({0, 1, 0}, 0.5 * kPi)};
  g.mass = mass;
  return g;
}

void add_link(RobotDescription& robot, const std::string& name, int parent, const Vec3& at,
              const RobotGeometry& geometry) {
  RobotLink link;
  link.name = name;
  link.parent = parent;
  link.frame.position = at;
  link.geometry = {geometry};
  robot.links.push_back(std::move(link));
}

void add_link(RobotDescription& robot, const RobotJoint& joint, const Vec3& at,
              const RobotGeometry& geometry) {
  add_link(robot, joint.name, robot.num_links() - 1, at, geometry);
  robot.links.back().joints = {joint};
}

}  // namespace

RobotDescription mobile_manipulator() {
  const Vec3 x{1, 0, 0};
  const Vec3 y{0, 1, 0};
  const Vec3 z{0, 0, 1};
  const JointLimit turning{};
  RobotDescription robot;
  robot.name = "mobile manipulator";
  robot.format = "URDF";  // its rules of who touches whom
  RobotGeometry base;
  base.kind = GeometryKind::kCylinder;
  base.size = {0.28, 0.17, 0.0};
  base.frame.position = {0.0, 0.0, 0.18};
  base.mass = 70.1;
  add_link(robot, "base", -1, {}, base);
  add_link(robot, slide("lift", z, {0.0, 0.386}, 450.0), {-0.087, 0, 0.377},
           box({0.16, 0.24, 0.5}, {0, 0, 0.15}, 13.28));
  add_link(robot, hinge("shoulder pan", z, {-1.606, 1.606}, 33.8), {0.12, 0, 0.349},
           bone(0.117, 0.055, 2.56));
  add_link(robot, hinge("shoulder lift", y, {-1.221, 1.518}, 131.8), {0.117, 0, 0.06},
           bone(0.219, 0.055, 2.66));
  add_link(robot, hinge("upper arm roll", x, turning, 76.9), {0.219, 0, 0},
           bone(0.133, 0.055, 2.33));
  add_link(robot, hinge("elbow", y, {-2.251, 2.251}, 66.2), {0.133, 0, 0}, bone(0.197, 0.05, 2.13));
  add_link(robot, hinge("forearm roll", x, turning, 29.4), {0.197, 0, 0}, bone(0.124, 0.05, 1.66));
  add_link(robot, hinge("wrist flex", y, {-2.16, 2.16}, 25.7), {0.124, 0, 0},
           bone(0.139, 0.045, 1.73));
  add_link(robot, hinge("wrist roll", x, turning, 7.36), {0.139, 0, 0}, bone(0.05, 0.04, 0.14));
  add_link(robot, "gripper", robot.num_links() - 1, {0.166, 0, 0},
           box({0.07, 0.13, 0.07}, {-0.08, 0, 0}, 1.52));
  const int gripper = robot.num_links() - 1;
  const Vec3 finger{0.07, 0.014, 0.026};
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "left finger" : "right finger";
    add_link(robot, name, gripper, {}, box(finger, {0, side * 0.5 * finger[1], 0}, 0.08));
    robot.links.back().joints = {slide(name, side * y, {0.0, 0.05}, 60.0)};
  }
  validate(robot);
  return robot;
}

ArmTool mobile_manipulator_tool(const RobotDescription& robot) {
  return {robot.find_link("gripper"), {}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}};
}

void set_mobile_manipulator_drives(World& world, const Robot& robot, double grip,
                                   double stiffness) {
  set_gains(world, robot, 0, 1e5, 5e3);
  const double damping = std::sqrt(stiffness);  // as critical as before
  for (int d = 1; d <= 5; ++d) set_gains(world, robot, d, stiffness * 2000.0, damping * 150.0);
  for (int d = 6; d <= 7; ++d) set_gains(world, robot, d, stiffness * 500.0, damping * 20.0);
  for (int d = 8; d <= 9; ++d) set_gains(world, robot, d, 5e3, 100.0, grip);
}

}  // namespace nsn
