/// Inverse kinematics by damped least squares: coordinates that bring points of links, and the axes
/// of links, where they are wanted.
///
///   e = (wanted - is), stacked;   dq = J^T (J J^T + d^2 I)^-1 e,   q <- clip(q + dq, limits)
///
/// d keeps steps finite at singular poses; it shrinks with the error, so that regular ones converge
/// quadratically. Coordinates at a limit stop there; those not in `moving` stay where they are.
#pragma once

#include <vector>

#include "nsn/models/robots/kinematics.h"

namespace nsn {

/// A point of a link wanted at a place, and optionally the link's axes wanted in directions.
struct IkTarget {
  int link = 0;
  Vec3 point{};           ///< in the link's frame, m
  Vec3 position{};        ///< in the base, m
  bool oriented = false;  ///< the rotation counts, too
  Quaternion rotation{};  ///< of the link in the base
  double weight = 1.0;    ///< of the rotation, m/rad
};

struct IkOptions {
  int max_iterations = 200;
  double tolerance = 1e-9;    ///< |e| at which it is solved, m
  double damping = 0.05;      ///< d = damping x min(1, |e| / 0.1 m), m
  double longest_step = 0.3;  ///< of one coordinate, rad or m
  /// Degrees of freedom that may move; empty: all hinges and slides.
  std::vector<int> moving;
};

struct IkResult {
  std::vector<double> q;
  double error = 0.0;  ///< |e|, m
  int iterations = 0;
  bool solved = false;
};
/// From q0. Throws std::invalid_argument for a robot with ball or free joints among the moving ones
/// and for links that do not exist.
[[nodiscard]] IkResult solve_ik(const RobotDescription& robot, std::vector<double> q0,
                                const std::vector<IkTarget>& targets,
                                const IkOptions& options = {});

}  // namespace nsn
