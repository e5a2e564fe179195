#include "nsn/models/joints/joint.h"

#include <cmath>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

bool finite(const Quaternion& q) {
  return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}

/// Names a joint, in words only where it is asked to.
struct Label {
  const Joint& joint;
  int index;

  std::string text() const { return joint_label(joint, index); }
};

void check_frame(const JointFrame& frame, const Label& label, const char* side) {
  NSN_THROW_UNLESS(all_finite(frame.origin) && finite(frame.rotation), "{}: frame {} is not finite",
                   label.text(), side);
  const Quaternion& q = frame.rotation;
  const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  NSN_THROW_UNLESS(std::abs(size - 1.0) < 1e-6, "{}: quaternion of frame {} has length {}, not 1",
                   label.text(), side, size);
}

/// finite: infinity is not allowed.
void check_size(double value, bool finite, const Label& label, const char* what) {
  NSN_THROW_UNLESS(value >= 0.0 && (!finite || std::isfinite(value)),
                   "{}: {} {} is negative or not finite", label.text(), what, value);
}

void check_axis(const JointAxis& axis, const Label& label) {
  NSN_THROW_UNLESS(axis.limit.lower <= axis.limit.upper, "{}: limits [{}, {}] are crossed",
                   label.text(), axis.limit.lower, axis.limit.upper);
  check_size(axis.drive.stiffness, true, label, "drive stiffness");
  check_size(axis.drive.damping, true, label, "drive damping");
  check_size(axis.drive.max_effort, false, label, "largest effort of the drive");
  check_size(axis.friction, true, label, "joint friction");
  check_size(axis.spring.stiffness, true, label, "spring stiffness");
  check_size(axis.spring.damping, true, label, "spring damping");
  check_size(axis.armature, true, label, "armature");
  NSN_THROW_UNLESS(std::isfinite(axis.spring.rest), "{}: rest {} of the spring is not finite",
                   label.text(), axis.spring.rest);
  const JointLimit& effort = axis.drive.effort;
  NSN_THROW_UNLESS(effort.lower <= 0.0 && effort.upper >= 0.0,
                   "{}: effort bounds [{}, {}] of the drive do not hold 0", label.text(),
                   effort.lower, effort.upper);
  NSN_THROW_UNLESS(std::isfinite(axis.drive.target) && std::isfinite(axis.drive.speed),
                   "{}: target {} or speed {} of the drive is not finite", label.text(),
                   axis.drive.target, axis.drive.speed);
}

/// The shortest turn of z onto the unit vector n.
Quaternion turn_z_onto(const Vec3& n) {
  if (n[2] < -1.0 + 1e-12) return {0.0, 1.0, 0.0, 0.0};
  return normalized(Quaternion{1.0 + n[2], -n[1], n[0], 0.0});
}

}  // namespace

JointDrive position_drive(double target, double stiffness, double damping) {
  return {.stiffness = stiffness, .damping = damping, .target = target};
}

JointDrive velocity_drive(double speed, double damping) {
  return {.damping = damping, .speed = speed};
}

void place(Joint& joint, const JointPlacement& where, const ConstBodyRef& a, const ConstBodyRef& b,
           const std::string& label) {
  NSN_THROW_UNLESS(all_finite(where.point) && all_finite(where.axis),
                   "{}: point or axis is not finite", label);
  const double size = norm(where.axis);
  NSN_THROW_UNLESS(size > 0.0 && std::isfinite(size), "{}: axis ({}, {}, {}) has no direction",
                   label, where.axis[0], where.axis[1], where.axis[2]);
  const Quaternion world = turn_z_onto((1.0 / size) * where.axis) * normalized(where.turned);
  const auto frame_on = [&](const ConstBodyRef& body) {
    const Quaternion back = conjugate(body.orientation);
    return JointFrame{rotation_matrix(back) * (where.point - body.position),
                      normalized(back * world)};
  };
  joint.frame_a = frame_on(a);
  joint.frame_b = frame_on(b);
}

std::string joint_label(const Joint& joint, int index) {
  const std::string type = joint.type.empty() ? "joint" : joint.type;
  return joint.name.empty() ? fmt::format("joint {} ({})", index, type)
                            : fmt::format("joint {} ({}, {})", index, type, joint.name);
}

void validate(const Joint& joint, int index, int num_bodies) {
  const Label label{joint, index};
  for (const int body : {joint.body_a, joint.body_b}) {
    NSN_THROW_UNLESS(body >= 0 && body < num_bodies, "{}: no body {} (there are {})", label.text(),
                     body, num_bodies);
  }
  NSN_THROW_UNLESS(joint.body_a != joint.body_b, "{}: both sides are body {}", label.text(),
                   joint.body_a);
  check_frame(joint.frame_a, label, "a");
  check_frame(joint.frame_b, label, "b");
  for (const JointRow& row : joint.rows) {
    check_size(row.compliance, true, label, "compliance");
    check_size(row.damping, true, label, "damping");
    NSN_THROW_UNLESS(std::isfinite(row.target), "{}: target {} is not finite", label.text(),
                     row.target);
  }
  for (const JointAxis& axis : joint.axes) check_axis(axis, label);
}

}  // namespace nsn
