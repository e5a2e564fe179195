/// Kinematics and statics of a robot in its own coordinates, without a world.
///
///   std::vector<double> q = nsn::reference_coordinates(robot);
///   const auto frames = nsn::forward_kinematics(robot, q);     // of every link, in the base
///
/// Coordinates and velocities are ordered by link, then by joint (counts and axes:
/// models/robots/robot_description.h).
#pragma once

#include <span>
#include <vector>

#include "nsn/models/robots/robot_description.h"

namespace nsn {

/// All coordinates where links sit at their frames: hinges and slides at their reference, free
/// joints at the frame itself.
std::vector<double> reference_coordinates(const RobotDescription& robot);

/// Frame of every link in the base. Throws std::invalid_argument unless q has the right length and
/// is finite.
std::vector<RigidFrame> forward_kinematics(const RobotDescription& robot, std::span<const double> q,
                                           const RigidFrame& base = {});

/// How a velocity of 1 in one degree of freedom moves what hangs on it.
struct DofMotion {
  int link = 0;        ///< the link it moves, with all its descendants
  bool turns = false;  ///< about `axis` through `point`; else along it
  Vec3 axis;           ///< unit, in the base
  Vec3 point;          ///< m, in the base
};
std::vector<DofMotion> dof_motions(const RobotDescription& robot, std::span<const double> q,
                                   const RigidFrame& base = {});
/// True where `link` moves with `ancestor`.
bool descends(const RobotDescription& robot, int link, int ancestor);
/// Velocity of a point of what hangs on the degree of freedom.
inline Vec3 velocity_at(const DofMotion& motion, const Vec3& x) {
  return motion.turns ? cross(motion.axis, x - motion.point) : motion.axis;
}

/// Mass, centre of mass and inertia of the whole robot in the base.
RobotInertial total_inertial(const RobotDescription& robot, std::span<const RigidFrame> frames);

/// Inertia that an effort on each degree of freedom meets, the others free: 1 / (M^-1)_ii, M with the
/// armatures of hinges and slides. kg or kg m^2; one per degree of freedom.
std::vector<double> free_inertias(const RobotDescription& robot, std::span<const double> q);

/// Efforts that hold the robot at rest against gravity (m/s^2, in the base) and the springs of its
/// joints; one per degree of freedom.
std::vector<double> holding_efforts(const RobotDescription& robot, std::span<const double> q,
                                    const Vec3& gravity, const RigidFrame& base = {});

}  // namespace nsn
