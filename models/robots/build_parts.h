/// What build_robot() consists of: each part adds to the world, and to what is known of the robot in it.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "nsn/core/base/index.h"
#include "nsn/models/robots/build_robot.h"

namespace nsn::robots {

/// A robot while it is built. Links that share a body are a group, called by its first link; -1: the base.
struct RobotBuild {
  World& world;
  const RobotDescription& d;  ///< description
  const RobotBuildOptions& options;
  Robot robot{};
  std::vector<double> q{};             ///< coordinates at the start
  std::vector<RigidFrame> frames{};    ///< of every link at the start, in the world
  std::vector<int> group{};            ///< of every link
  std::vector<RigidFrame> in_group{};  ///< every link in the first of its group
  RigidFrame base_in_body{};           ///< of the description's world in the base body
  std::map<int, int> ball_of_link{};   ///< joint of the world
  int coordinates = 0;                 ///< of the degrees of freedom so far

  /// Body of a link; -1: that of the base.
  int body_of(int link) const {
    return link < 0 ? robot.base_body : robot.body_of_link[to_size(link)];
  }
  RigidFrame frame_of(int link) const {
    return link < 0 ? base_in_body : robot.link_in_body[to_size(link)];
  }
  /// A point of a link, in the world at the start.
  Vec3 world_point(int link, const Vec3& point) const {
    return (link < 0 ? options.base : frames[to_size(link)]).point(point);
  }
  /// Of a degree of freedom at the start; a ball's and a free joint's have several.
  const double* start_of(const RobotDof& dof) const { return q.data() + dof.coordinate; }
  /// Adds a joint between frames of its two bodies; filters decide whether these collide.
  int add_joint(Joint joint, const RigidFrame& in_a, const RigidFrame& in_b) const;
  /// Adds a force against the weight of so much mass.
  void carry(int body, double mass);
};

// build_bodies.cpp
/// Which links share a body, and where they are in the first of them.
void find_groups(RobotBuild& build);
void add_bodies(RobotBuild& build);
void add_shapes(RobotBuild& build);
/// Who touches whom.
void filter(RobotBuild& build);
/// A force at the centre of mass against gravity. Links of one body share it by their masses.
void carry_weight(RobotBuild& build);

// build_joints.cpp
/// The joints of the tree.
void add_joints(RobotBuild& build);
/// Joints that follow others.
void add_mimics(RobotBuild& build);
/// What the file holds together beside the tree of joints.
void add_holds(RobotBuild& build);
/// The drives of joints; a motor is an effort of the program.
void add_servos(RobotBuild& build);
/// Gains and bounds of a position or velocity servo; sign: of the coordinate that it moves.
void set_servo(const RobotActuator& actuator, double sign, JointDrive& drive);

// build_tendons.cpp
void add_tendons(RobotBuild& build);

// build_drag.cpp
/// The fluid, and damping of free joints.
void add_drag(RobotBuild& build);

}  // namespace nsn::robots
