#include "nsn/models/robots/kinematics.h"

#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

Quaternion read_quaternion(const double* q) {
  const Quaternion raw{q[0], q[1], q[2], q[3]};
  const double size = std::sqrt(raw.w * raw.w + raw.x * raw.x + raw.y * raw.y + raw.z * raw.z);
  NSN_THROW_UNLESS(size > 0.0, "a quaternion among the coordinates is zero");
  return normalized(raw);
}

/// Moves a link's frame by one joint.
RigidFrame moved(const RigidFrame& start, const RobotJoint& joint, const double* q) {
  switch (joint.kind) {
    case RobotJointKind::kSlide:
      return start * RigidFrame{(q[0] - joint.reference) * joint.axis, {}};
    case RobotJointKind::kHinge: {
      const Quaternion turn = rotation_about(joint.axis, q[0] - joint.reference);
      return start * RigidFrame{joint.anchor - rotation_matrix(turn) * joint.anchor, turn};
    }
    case RobotJointKind::kBall: {
      const Quaternion turn = read_quaternion(q);
      return start * RigidFrame{joint.anchor - rotation_matrix(turn) * joint.anchor, turn};
    }
    case RobotJointKind::kFree:
      break;
  }
  return start;
}

/// Calls visit(link, joint, frame before the joint, coordinates, frame after it) for every joint.
template <class Visit>
std::vector<RigidFrame> walk(const RobotDescription& robot, std::span<const double> q,
                             const RigidFrame& base, const Visit& visit) {
  NSN_THROW_UNLESS(static_cast<int>(q.size()) == robot.num_coordinates(),
                   "{} coordinates given, robot '{}' has {}", q.size(), robot.name,
                   robot.num_coordinates());
  for (const double value : q) NSN_THROW_UNLESS(std::isfinite(value), "a coordinate is not finite");
  std::vector<RigidFrame> frames(to_size(robot.num_links()));
  const double* next = q.data();
  for (int k = 0; k < robot.num_links(); ++k) {
    const RobotLink& link = robot.link(k);
    const RigidFrame parent = link.parent < 0 ? base : frames[to_size(link.parent)];
    RigidFrame frame = parent * link.frame;
    for (const RobotJoint& joint : link.joints) {
      const RigidFrame before = frame;
      frame = joint.kind == RobotJointKind::kFree
                  ? base * RigidFrame{load3(next), read_quaternion(next + 3)}
                  : moved(frame, joint, next);
      visit(k, joint, before, next, frame);
      next += joint.num_coordinates();
    }
    frames[to_size(k)] = frame;
  }
  return frames;
}

}  // namespace

std::vector<double> reference_coordinates(const RobotDescription& robot) {
  std::vector<double> q;
  std::vector<RigidFrame> frames(to_size(robot.num_links()));
  for (int k = 0; k < robot.num_links(); ++k) {
    const RobotLink& link = robot.link(k);
    frames[to_size(k)] = link.parent < 0 ? link.frame : frames[to_size(link.parent)] * link.frame;
    const Quaternion& r = frames[to_size(k)].rotation;
    const Vec3& p = frames[to_size(k)].position;
    for (const RobotJoint& joint : link.joints) {
      if (joint.kind == RobotJointKind::kBall) q.insert(q.end(), {1.0, 0.0, 0.0, 0.0});
      if (joint.kind == RobotJointKind::kFree) {
        q.insert(q.end(), {p[0], p[1], p[2], r.w, r.x, r.y, r.z});
      }
      if (joint.num_coordinates() == 1) q.push_back(joint.reference);
    }
  }
  return q;
}

std::vector<RigidFrame> forward_kinematics(const RobotDescription& robot, std::span<const double> q,
                                           const RigidFrame& base) {
  return walk(robot, q, base, [](auto&&...) {});
}

std::vector<DofMotion> dof_motions(const RobotDescription& robot, std::span<const double> q,
                                   const RigidFrame& base) {
  std::vector<DofMotion> motions;
  walk(robot, q, base,
       [&](int k, const RobotJoint& joint, const RigidFrame& before, const double*,
           const RigidFrame& after) {
         if (joint.num_dofs() == 1) {
           const bool turns = joint.kind == RobotJointKind::kHinge;
           motions.push_back({k, turns, before.direction(joint.axis), before.point(joint.anchor)});
           return;
         }
         if (joint.kind == RobotJointKind::kFree) {
           for (int i = 0; i < 3; ++i) {
             Vec3 e;
             e[i] = 1.0;
             motions.push_back({k, false, e, after.position});
           }
         }
         const Mat3 R = rotation_matrix(after.rotation);
         for (int i = 0; i < 3; ++i) {
           motions.push_back({k, true, column(R, i), after.point(joint.anchor)});
         }
       });
  return motions;
}

bool descends(const RobotDescription& robot, int link, int ancestor) {
  while (link > ancestor) link = robot.link(link).parent;
  return link == ancestor;
}

RobotInertial total_inertial(const RobotDescription& robot, std::span<const RigidFrame> frames) {
  std::vector<RobotInertial> parts;
  for (int k = 0; k < robot.num_links(); ++k) {
    RobotInertial part = robot_inertial(robot.link(k));
    part.frame = frames[to_size(k)] * part.frame;
    if (part.mass > 0.0) parts.push_back(part);
  }
  return combined(parts);
}

std::vector<double> free_inertias(const RobotDescription& robot, std::span<const double> q) {
  const auto frames = forward_kinematics(robot, q);
  const auto motions = dof_motions(robot, q);
  const std::size_t n = motions.size();
  std::vector<double> M(n * n, 0.0);
  for (int k = 0; k < robot.num_links(); ++k) {
    RobotInertial part = robot_inertial(robot.link(k));
    part.frame = frames[to_size(k)] * part.frame;
    const Mat3 R = rotation_matrix(part.frame.rotation);
    const Mat3 inertia = R * part.inertia * transpose(R);
    for (std::size_t i = 0; i < n; ++i) {
      if (!descends(robot, k, motions[i].link)) continue;
      const Vec3 v = part.mass * velocity_at(motions[i], part.frame.position);
      const Vec3 spin = motions[i].turns ? inertia * motions[i].axis : Vec3{};
      for (std::size_t j = 0; j <= i; ++j) {
        if (!descends(robot, k, motions[j].link)) continue;
        M[i * n + j] += dot(v, velocity_at(motions[j], part.frame.position));
        if (motions[j].turns) M[i * n + j] += dot(spin, motions[j].axis);
      }
    }
  }
  std::size_t dof = 0;
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) {
      for (int i = 0; i < joint.num_dofs(); ++i, ++dof) M[dof * n + dof] += joint.armature;
    }
  }
  for (std::size_t j = 0; j < n; ++j) {  // M = L L^T, in place
    for (std::size_t i = j; i < n; ++i) {
      double sum = M[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= M[i * n + k] * M[j * n + k];
      M[i * n + j] = i == j ? std::sqrt(sum) : sum / M[j * n + j];
    }
  }
  std::vector<double> inertias(n);
  for (std::size_t d = 0; d < n; ++d) {  // (M^-1)_dd = |L^-1 e_d|^2
    std::vector<double> y(n, 0.0);
    double square = 0.0;
    for (std::size_t i = d; i < n; ++i) {
      double sum = i == d ? 1.0 : 0.0;
      for (std::size_t k = d; k < i; ++k) sum -= M[i * n + k] * y[k];
      y[i] = sum / M[i * n + i];
      square += y[i] * y[i];
    }
    inertias[d] = 1.0 / square;
  }
  return inertias;
}

std::vector<double> holding_efforts(const RobotDescription& robot, std::span<const double> q,
                                    const Vec3& gravity, const RigidFrame& base) {
  const auto frames = forward_kinematics(robot, q, base);
  const auto motions = dof_motions(robot, q, base);
  std::vector<double> efforts(motions.size(), 0.0);
  for (int k = 0; k < robot.num_links(); ++k) {
    const RobotInertial part = robot_inertial(robot.link(k));
    const Vec3 centre = frames[to_size(k)].point(part.frame.position);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      if (!descends(robot, k, motions[i].link)) continue;
      efforts[i] -= part.mass * dot(gravity, velocity_at(motions[i], centre));
    }
  }
  std::size_t dof = 0;
  std::size_t coordinate = 0;
  for (const RobotLink& link : robot.links) {
    for (const RobotJoint& joint : link.joints) {
      if (joint.num_dofs() == 1) {
        efforts[dof] += joint.spring.stiffness * (q[coordinate] - joint.spring.rest);
      }
      dof += to_size(joint.num_dofs());
      coordinate += to_size(joint.num_coordinates());
    }
  }
  return efforts;
}

}  // namespace nsn
