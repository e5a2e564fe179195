/// A described robot in a world: bodies, joints, drives, shapes, and how its coordinates are
/// theirs.
///
///   const auto hand = std::make_shared<const RobotDescription>(read_robot("right_hand.xml"));
///   nsn::Robot robot = nsn::build_robot(world, hand, {.base = {{0, 0, 0.5}, {}}});
///   nsn::set_target(world, robot, robot.dof("ffj1"), 0.8);        // of a position drive
///   nsn::add_effort(world, robot, robot.dof("ffj0"), 0.1);        // a motor, this step
///
/// Links that are fixed to each other are one body unless merge_fixed is off. The joints of one
/// link are one joint of the world (models/robots/joint_triad.h), so that no bodies without mass
/// are needed between the axes of a hip. A body's axes are those of the first link it is made of.
///
/// Position and velocity actuators become implicit drives bounded by their effort; a motor is an
/// effort that add_effort() puts on the two bodies.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nsn/models/robots/kinematics.h"
#include "nsn/models/robots/robot_description.h"
#include "nsn/models/robots/robot_shapes.h"
#include "nsn/models/world/world.h"

namespace nsn {

struct RobotBuildOptions {
  RigidFrame base{};        ///< the description's world in this one
  std::vector<double> q{};  ///< coordinates to start from; empty: the reference
  std::vector<double> v{};  ///< velocities to start from; empty: rest
  /// Body that carries the robot (it may move); -1: what is fixed to the world is a static body.
  int base_body = -1;
  bool merge_fixed = true;     ///< links fixed to each other are one body
  bool self_collision = true;  ///< links that are not neighbours may touch
  bool hulls = true;           ///< meshes by their convex hulls; false: as triangles
  /// Points of a hull: the extreme ones along this many directions; 0: all points of the mesh.
  int hull_points = 0;
  bool shapes = true;          ///< add collision shapes at all
  bool world_shapes = true;    ///< and those of the description's world (a floor)
  int group = 0;               ///< shapes of robots of two groups other than 0 never meet
  std::optional<double> mu{};  ///< friction of all shapes in place of the file's
  /// Shapes of meshes that robots have in common; none: the robot makes its own.
  std::shared_ptr<RobotShapes> shape_pool{};
};

/// One degree of freedom of a hinge or slide as the world has it; a ball's and a free joint's have
/// joint -1.
struct RobotDof {
  std::string name;
  int link = 0;
  int joint = -1;  ///< of the world
  int axis = 0;
  double sign = 1.0;  ///< q = reference + sign C
  double reference = 0.0;
  int coordinate = 0;  ///< place of q, or of the first number of a ball or free joint, among all
};

/// A light particle whose place along x is a weighted sum of coordinates: part of a tendon too long for one
/// row (models/rows/tendon_rows.h).
struct RobotRelay {
  int particle = 0;
  std::vector<std::pair<int, double>> sum;  ///< degree of freedom, weight
};

struct Robot {
  std::shared_ptr<const RobotDescription> description;
  RigidFrame base;
  int base_body = -1;             ///< static or given; -1: nothing is fixed
  std::vector<int> bodies;        ///< its own moving bodies
  std::vector<int> body_of_link;  ///< -1: fixed to nothing that exists
  std::vector<RigidFrame> link_in_body;
  std::vector<RobotDof> dofs;
  std::vector<RobotRelay> relays;
  /// Bodies and forces that carry their weight, N; clear_efforts() leaves them.
  std::vector<std::pair<int, Vec3>> carried;
  std::vector<std::string> notes;  ///< what was approximated, a sentence each

  /// Throws std::invalid_argument for an unknown joint.
  int dof(const std::string& joint) const;
  const RobotDof& at(int d) const { return dofs[static_cast<std::size_t>(d)]; }
};

Robot build_robot(World& world, std::shared_ptr<const RobotDescription> description,
                  const RobotBuildOptions& options = {});

/// Moves all bodies of the robot to coordinates q with velocities v (empty: rest).
void set_state(World& world, const Robot& robot, std::span<const double> q,
               std::span<const double> v = {});
/// Frame of a link in the world.
RigidFrame link_frame(const World& world, const Robot& robot, int link);
/// Coordinate and velocity of a hinge or slide where the world is now.
double position(const World& world, const Robot& robot, int dof);
double speed(const World& world, const Robot& robot, int dof);
/// All coordinates.
std::vector<double> coordinates(const World& world, const Robot& robot);

/// Gains of the drive of a hinge or slide; its effort stays bounded by what the file says unless
/// max_effort is given.
void set_gains(World& world, const Robot& robot, int dof, double stiffness, double damping,
               std::optional<double> max_effort = {});
/// Target (and its rate) of the drive.
void set_target(World& world, const Robot& robot, int dof, double target, double rate = 0.0);
/// Adds an effort to the forces and torques of the two bodies; they last until cleared.
void add_effort(World& world, const Robot& robot, int dof, double effort);
void clear_efforts(World& world, const Robot& robot);

}  // namespace nsn
