#include "nsn/models/robots/inverse_kinematics.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

/// Coordinate, and joint, of each degree of freedom; -1 for those of balls and free joints.
struct DofTable {
  std::vector<int> coordinate;
  std::vector<const RobotJoint*> joint;

  explicit DofTable(const RobotDescription& robot) {
    int place = 0;
    for (const RobotLink& link : robot.links) {
      for (const RobotJoint& j : link.joints) {
        for (int i = 0; i < j.num_dofs(); ++i) {
          coordinate.push_back(j.num_dofs() == 1 ? place : -1);
          joint.push_back(&j);
        }
        place += j.num_coordinates();
      }
    }
  }
};

/// Solves A x = b in place for a symmetric positive definite A of n rows (Cholesky); x is left in
/// b.
void solve_positive(std::vector<double>& A, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i == j ? std::sqrt(sum) : sum / A[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
}

class Solver {
 public:
  Solver(const RobotDescription& robot, const std::vector<IkTarget>& targets,
         const IkOptions& options)
      : robot_(robot),
        targets_(targets),
        options_(options),
        table_(robot),
        moving_(options.moving) {
    if (moving_.empty()) {
      for (int d = 0; d < static_cast<int>(table_.coordinate.size()); ++d) {
        if (table_.coordinate[to_size(d)] >= 0) moving_.push_back(d);
      }
    }
    for (const int d : moving_) {
      const bool known = d >= 0 && d < static_cast<int>(table_.coordinate.size());
      NSN_THROW_UNLESS(known && table_.coordinate[to_size(d)] >= 0,
                       "inverse kinematics: degree of freedom {} is neither hinge nor slide", d);
    }
    for (const IkTarget& target : targets) {
      NSN_THROW_UNLESS(target.link >= 0 && target.link < robot.num_links(),
                       "inverse kinematics: no link {}", target.link);
    }
  }

  IkResult solve(std::vector<double> q) {
    IkResult result;
    result.q = q;
    result.error = linearise(q);
    for (; result.iterations < options_.max_iterations; ++result.iterations) {
      if (result.error <= options_.tolerance) break;
      step(q, result.error);
      const double error = linearise(q);
      if (error < result.error) result.q = q;
      result.error = std::min(result.error, error);
    }
    result.solved = result.error <= options_.tolerance;
    return result;
  }

 private:
  /// e and J at q; returns |e|.
  double linearise(const std::vector<double>& q) {
    const auto frames = forward_kinematics(robot_, q);
    const auto motions = dof_motions(robot_, q);
    e_.clear();
    J_.clear();
    for (const IkTarget& target : targets_) {
      const RigidFrame& frame = frames[to_size(target.link)];
      const Vec3 x = frame.point(target.point);
      add_rows(
          target, target.position - x, [&](const DofMotion& m) { return velocity_at(m, x); },
          motions);
      if (!target.oriented) continue;
      add_rows(
          target, target.weight * turn_between(frame.rotation, target.rotation),
          [&](const DofMotion& m) { return m.turns ? target.weight * m.axis : Vec3{}; }, motions);
    }
    double sum = 0.0;
    for (const double value : e_) sum += value * value;
    return std::sqrt(sum);
  }

  template <class Velocity>
  void add_rows(const IkTarget& target, const Vec3& error, const Velocity& velocity,
                const std::vector<DofMotion>& motions) {
    for (int i = 0; i < 3; ++i) {
      e_.push_back(error[i]);
      for (const int d : moving_) {
        const DofMotion& motion = motions[to_size(d)];
        J_.push_back(descends(robot_, target.link, motion.link) ? velocity(motion)[i] : 0.0);
      }
    }
  }

  void step(std::vector<double>& q, double error) {
    const double d = options_.damping * std::min(1.0, error / 0.1);
    const std::size_t rows = e_.size();
    const std::size_t columns = moving_.size();
    std::vector<double> A(rows * rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) {
        for (std::size_t k = 0; k < columns; ++k) {
          A[i * rows + j] += J_[i * columns + k] * J_[j * columns + k];
        }
      }
      A[i * rows + i] += d * d + 1e-14;
    }
    std::vector<double> y = e_;
    solve_positive(A, y);
    std::vector<double> dq(columns, 0.0);
    double longest = 0.0;
    for (std::size_t k = 0; k < columns; ++k) {
      for (std::size_t i = 0; i < rows; ++i) dq[k] += J_[i * columns + k] * y[i];
      longest = std::max(longest, std::abs(dq[k]));
    }
    const double scale = longest > options_.longest_step ? options_.longest_step / longest : 1.0;
    for (std::size_t k = 0; k < columns; ++k) {
      const RobotJoint& joint = *table_.joint[to_size(moving_[k])];
      double& value = q[to_size(table_.coordinate[to_size(moving_[k])])];
      value = std::clamp(value + scale * dq[k], joint.limit.lower, joint.limit.upper);
    }
  }

  const RobotDescription& robot_;
  const std::vector<IkTarget>& targets_;
  const IkOptions& options_;
  DofTable table_;
  std::vector<int> moving_;
  std::vector<double> e_;
  std::vector<double> J_;  // by rows
};

}  // namespace

IkResult solve_ik(const RobotDescription& robot, std::vector<double> q0,
                  const std::vector<IkTarget>& targets, const IkOptions& options) {
  return Solver(robot, targets, options).solve(std::move(q0));
}

}  // namespace nsn
