/// Iterative refinement of a direct solve: x += F^-1 (b - S x) while that helps.
///
/// F is whatever was factorised: S itself with rounding, or S with a small multiple of its diagonal
/// added. In the first case one step brings back the digits that rounding took; in the second the
/// steps are a proximal iteration, which converges to a solution of S x = b wherever there is one.
#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "nsn/core/base/options.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn {

/// The option `refine` of direct backends.
inline OptionSpec refine_option() {
  return OptionSpec::integer(
      "refine", 2, 0, 100,
      "largest number of refinement steps, taken while the tolerance is missed");
}

class Refinement {
 public:
  void analyze(Index n) {
    const auto size = static_cast<std::size_t>(n);
    room_.resize(2 * size);
    r_ = Vector(room_.data(), size);
    x_ = Vector(room_.data() + size, size);
  }
  double bytes_held() const { return 16.0 * static_cast<double>(r_.size()); }

  struct Outcome {
    int steps = 0;            ///< corrections kept
    int products = 0;         ///< applications of S
    int solves = 0;           ///< applications of F^-1
    double residual = 0.0;    ///< |b - S x|_2
    bool non_finite = false;  ///< the answer handed in was not finite
  };

  /// x holds F^-1 b. Stops at |b - S x|_2 <= target, after max_steps, or when a step no longer
  /// halves the residual; a step that makes it larger is taken back. solve(v) overwrites v by
  /// F^-1 v.
  template <class Solve>
  Outcome improve(const LinearOperator& op, ConstVector b, Vector x, double target, int max_steps,
                  const Solve& solve) {
    Outcome outcome;
    outcome.residual = measure(op, b, x, outcome);
    outcome.non_finite = !(outcome.residual < kInfinity);
    while (!outcome.non_finite && outcome.residual > target && outcome.steps < max_steps) {
      std::copy_n(x.data(), x.extent(0), x_.data());
      solve(r_);
      ++outcome.solves;
      axpby(1.0, r_, 1.0, x);
      const double residual = measure(op, b, x, outcome);
      if (!(residual < outcome.residual)) {
        std::copy_n(x_.data(), x.extent(0), x.data());
        break;
      }
      const bool halved = residual < 0.5 * outcome.residual;
      outcome.residual = residual;
      ++outcome.steps;
      if (!halved) break;
    }
    return outcome;
  }

  /// x = F^-1 b, improved towards what control asks for: the whole solve of a direct backend whose
  /// F^-1 v moves bytes_per_solve. Fills bytes_moved and recurrence_residual, and adds a word on
  /// the steps taken to detail.
  template <class Solve>
  void solve_and_improve(const LinearOperator& op, ConstVector b, Vector x,
                         const LinearControl& control, int max_steps, double bytes_per_solve,
                         const Solve& solve, LinearReport& report) {
    std::copy_n(b.data(), b.extent(0), x.data());
    solve(x);
    const double target = std::max(control.rtol * report.rhs_norm, control.atol);
    const Outcome outcome = improve(op, b, x, target, max_steps, solve);
    report.bytes_moved =
        (1 + outcome.solves) * bytes_per_solve + outcome.products * op.bytes_per_apply();
    report.recurrence_residual = outcome.residual;
    if (outcome.steps == 0) return;
    if (!report.detail.empty()) report.detail += "; ";
    report.detail += fmt::format("{} step(s) of refinement", outcome.steps);
  }

 private:
  // r = b - S x, returns |r|_2
  double measure(const LinearOperator& op, ConstVector b, Vector x, Outcome& outcome) {
    op.apply(x, r_);
    ++outcome.products;
    return residual_norm(b, r_, r_);
  }

  std::vector<double> room_;  // the two that follow
  Vector r_;
  Vector x_;  // the answer before a step
};

}  // namespace nsn
