/// Joints between two bodies: which rows hold them, which coordinates stay free.
///
///   nsn::Joint hinge = nsn::revolute_joint(door, wall);      // models/joints/joints.h: all types
///   hinge.axes[0].limit = {-1.2, 0.0};
///   hinge.axes[0].drive = nsn::position_drive(-0.5, 200.0, 10.0);
///   const int j = world.add_joint(hinge, {.point = {0, 0, 1}, .axis = {0, 0, 1}});
///   world.joint(j).axes[0].drive.target = 0.3;               // any time between steps
///
/// Every row, whatever it is for, has one form: with s = 1 or -1 and C(q) a coordinate of the two
/// frames (models/joints/joint_coordinate.h), at the end q of the step,
///
///     v = s (C(q) - c) / h + E r,      lo <= r <= hi,      r the impulse over the step
///
/// | row       | c                                             | compliance E h^2  | bounds of r |
/// |-----------|-----------------------------------------------|-------------------|-------------|
/// | rigid     | target                                        | 0                 | -inf, inf   |
/// | compliant | (h target + e d C0) / (h + e d)               | h e / (h + e d)   | -inf, inf   |
/// | limit     | lower (s = 1), upper (s = -1)                 | 0                 | 0, inf      |
/// | drive     | (h k target + d (C0 + h speed)) / (h k + d)   | h / (h k + d)     | -h F, h F   |
/// | friction  | C0                                            | 0                 | -h f, h f   |
/// | passive   | (h k rest + d C0 + a (C0/h + V0)) / g         | h / g             | -inf, inf   |
///
/// e compliance, d damping, k stiffness, F and f largest efforts, C0 the coordinate at the start of
/// the step, V0 its rate, a armature, g = h k + d + a/h (k, d of the spring). So springs and drives
/// are implicit (the force is that of the end of the step, stable for any gain), rigid rows correct
/// their own drift in every step, and c is the only thing that differs.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "nsn/core/rows/joint_coordinate.h"
#include "nsn/models/world/body_arrays.h"

namespace nsn {

/// A coordinate that is held.
struct JointRow {
  JointCoordinate coordinate;
  double target = 0.0;      ///< m or rad
  double compliance = 0.0;  ///< e, m/N or rad/(N m), >= 0; 0: rigid
  double damping = 0.0;     ///< d, N s/m or N m s/rad, >= 0; read where compliance > 0
};

/// lower <= C <= upper, m or rad.
struct JointLimit {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// Effort -k (C - target) - d (dC/dt - speed), never beyond max_effort. Off while k = d = 0.
struct JointDrive {
  double stiffness = 0.0;                                       ///< k, N/m or N m/rad, >= 0
  double damping = 0.0;                                         ///< d, N s/m or N m s/rad, >= 0
  double target = 0.0;                                          ///< m or rad
  double speed = 0.0;                                           ///< m/s or rad/s
  double max_effort = std::numeric_limits<double>::infinity();  ///< F, N or N m, >= 0
  JointLimit effort{};  ///< bounds of their own within +-F, N or N m; lower <= 0 <= upper

  bool on() const { return stiffness > 0.0 || damping > 0.0; }
};
/// Holds `target` with stiffness k and damping d.
JointDrive position_drive(double target, double stiffness, double damping = 0.0);
/// Holds `speed` with gain d.
JointDrive velocity_drive(double speed, double damping);

/// Passive effort -k (C - rest) - d dC/dt.
struct JointSpring {
  double stiffness = 0.0;  ///< k, N/m or N m/rad, >= 0
  double damping = 0.0;    ///< d, N s/m or N m s/rad, >= 0
  double rest = 0.0;       ///< m or rad
};

/// A coordinate that stays free, within limits, driven or braked.
struct JointAxis {
  JointCoordinate coordinate;
  JointLimit limit;
  JointDrive drive;
  double friction = 0.0;  ///< f, largest braking effort, N or N m, >= 0
  JointSpring spring{};
  /// a, inertia that moves with the coordinate alone (rotors behind gears), kg or kg m^2, >= 0.
  double armature = 0.0;

  bool passive() const { return spring.stiffness > 0.0 || spring.damping > 0.0 || armature > 0.0; }
};

struct Joint {
  std::string name;  ///< for messages and files; may be empty
  std::string type;  ///< "revolute", ...
  int body_a = 0;    ///< what moves: coordinates are those of a seen from b
  int body_b = 0;
  JointFrame frame_a;
  JointFrame frame_b;
  std::vector<JointRow> rows;
  std::vector<JointAxis> axes;
  bool collide = false;  ///< the shapes of a and b can touch
};

/// Where a joint is, in the world, at the bodies' present poses: all its coordinates are zero
/// there.
struct JointPlacement {
  Vec3 point;           ///< m
  Vec3 axis{0, 0, 1};   ///< z axis of both frames, any length but 0
  Quaternion turned{};  ///< turns both frames about their own axes (universal: the direction of x)
};

/// Sets the joint's frames. Throws std::invalid_argument for a zero axis.
void place(Joint& joint, const JointPlacement& where, const ConstBodyRef& a, const ConstBodyRef& b,
           const std::string& label);

/// "joint 3 (revolute, door)".
std::string joint_label(const Joint& joint, int index);
/// Throws std::invalid_argument naming the joint unless its bodies differ and exist, frames are
/// finite, limits in order, gains, compliances and efforts not negative.
void validate(const Joint& joint, int index, int num_bodies);

}  // namespace nsn
