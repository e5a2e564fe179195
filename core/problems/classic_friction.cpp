#include "nsn/core/problems/classic_friction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/ncp/fischer_burmeister.h"
#include "nsn/ncp/friction.h"

namespace nsn {
namespace {

constexpr double kSlopeFloor = 1e-4;  // of d phi / d u in a Fischer-Burmeister row
constexpr double kNoTurn = 1e-14;     // kappa below which the p unknown is dropped

class Iteration {
 public:
  Iteration(ProximalNewton& newton, const ClassicFrictionOptions& options)
      : newton_(newton), options_(options), rows_(newton.rows()), blocks_(at(rows_.blocks())) {
    for (Vector* v : {&x_, &u_, &d_, &Wd_, &b_, &z_, &A_}) *v = zero_vector(rows_.rows());
    std::fill_n(A_.data(), A_.extent(0), options.regularisation);
    newton.scaled_centre(x_);
  }

  /// u = W x + q; true if (x, u) meets the goal.
  bool measure() {
    newton_.system().apply(x_, u_);
    axpby(1.0, newton_.scaled_q(), 1.0, u_);
    return newton_.meets_goal(newton_.offer(x_, u_));
  }

  NewtonSolve step() {
    for (Index i = 0; i < rows_.blocks(); ++i) linearise(i);
    newton_.system().apply(d_, Wd_);
    for (Index i = 0; i < rows_.blocks(); ++i) {
      double moved[3];
      restrict_to(blocks_[at(i)], Wd_.data() + 3 * i, moved);
      for (Index k = 0; k < 3; ++k) b_(3 * i + k) -= moved[k];
    }
    newton_.system().prepare(blocks_, A_);
    const NewtonSolve solve = newton_.system().solve(b_, z_);
    if (!solve.ok) return solve;
    for (Index i = 0; i < rows_.blocks(); ++i) {
      if (blocks_[at(i)].active != 0) expand(blocks_[at(i)], z_.data() + 3 * i, d_.data() + 3 * i);
    }
    axpby(options_.damping, d_, 1.0, x_);
    return solve;
  }

  bool finite() const { return all_finite(x_); }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void linearise(Index i) {
    BlockLinearization& block = blocks_[at(i)];
    block = {};
    for (Index k = 3 * i; k < 3 * i + 3; ++k) d_(k) = b_(k) = 0.0;
    if (rows_.kind[at(i)] == BlockKind::kBox) {
      linearise_box(i, block);
      return;
    }
    const double force = linearise_normal(i, block);
    const bool planar = rows_.kind[at(i)] == BlockKind::kPlanarContact;
    const double F = rows_.mu[at(i)] * force;
    if (!(F > 0.0)) {
      for (Index k = 3 * i + 1; k < 3 * i + 3; ++k) d_(k) = -x_(k);
    } else if (options_.method == ClassicFriction::kPaperMinimum ||
               options_.method == ClassicFriction::kPaperFb) {
      linearise_fixed_point(i, F, planar, block);
    } else {
      linearise_projection(i, F, planar, block);
    }
  }

  /// Normal row; returns the force that bounds friction.
  double linearise_normal(Index i, BlockLinearization& block) {
    const double x = x_(3 * i);
    const double u = u_(3 * i);
    if (options_.method == ClassicFriction::kPaperFb) {
      const auto f = ncp::FischerBurmeister{}(u, x);
      const double slope = std::max(f.d_a, kSlopeFloor);
      block.active = 1;
      block.compliance[0] = f.d_b / slope;
      b_(3 * i) = -f.phi / slope;
      return x;
    }
    if (x - u <= 0.0) {
      d_(3 * i) = -x;
    } else {
      block.active = 1;
      b_(3 * i) = -u;
    }
    return options_.method == ClassicFriction::kAlartCurnier ? x - u : x;
  }

  /// u_T + w x_T = 0 with w of the last iterate.
  void linearise_fixed_point(Index i, double F, bool planar, BlockLinearization& block) {
    const double v = std::hypot(u_(3 * i + 1), u_(3 * i + 2));
    const double l = std::hypot(x_(3 * i + 1), x_(3 * i + 2));
    const double w = options_.method == ClassicFriction::kPaperFb
                         ? ncp::FischerBurmeisterFriction{}(v, l, F, 1.0)
                         : ncp::MinimumMapFriction{}(v, l, F, 1.0);
    for (Index k = 1; k < (planar ? 2 : 3); ++k) {
      block.active |= static_cast<std::uint8_t>(1U << k);
      block.compliance[k] = w;
      b_(3 * i + k) = -(u_(3 * i + k) + w * x_(3 * i + k));
    }
  }

  /// x_T = P_F(x_T - u_T); the bound follows x_N in the full form.
  void linearise_projection(Index i, double F, bool planar, BlockLinearization& block) {
    const double X[2] = {x_(3 * i + 1) - u_(3 * i + 1), x_(3 * i + 2) - u_(3 * i + 2)};
    const double length = std::hypot(X[0], X[1]);
    if (length <= F) {
      block.active |= planar ? 2 : 6;
      for (Index k = 1; k < 3; ++k) b_(3 * i + k) = -u_(3 * i + k);
      return;
    }
    const bool follows = options_.method == ClassicFriction::kAlartCurnier;
    const double kappa = F / length;
    block.rotated = true;
    block.tx = X[0] / length;
    block.ty = X[1] / length;
    block.coupling = follows && block.active != 0 ? rows_.mu[at(i)] : 0.0;
    const double phi[2] = {x_(3 * i + 1) - F * block.tx, x_(3 * i + 2) - F * block.ty};
    const double along = phi[0] * block.tx + phi[1] * block.ty;
    const double across = phi[1] * block.tx - phi[0] * block.ty;
    const double c = (follows ? rows_.mu[at(i)] * u_(3 * i) : 0.0) - along;
    d_(3 * i + 1) = c * block.tx;
    d_(3 * i + 2) = c * block.ty;
    if (planar || kappa < kNoTurn) {
      d_(3 * i + 1) += across * block.ty;
      d_(3 * i + 2) -= across * block.tx;
    } else {
      block.active |= 4;
      block.compliance[2] = (1.0 - kappa) / kappa;
      b_(3 * i + 2) = -across / kappa;
    }
  }

  void linearise_box(Index i, BlockLinearization& block) {
    for (Index k = 3 * i; k < 3 * i + 3; ++k) {
      const double X = x_(k) - u_(k);
      const double clipped =
          std::min(std::max(X, newton_.scaled_lower()(k)), newton_.scaled_upper()(k));
      if (clipped == X) {
        block.active |= static_cast<std::uint8_t>(1U << (k - 3 * i));
        b_(k) = -u_(k);
      } else {
        d_(k) = clipped - x_(k);
      }
    }
  }

  ProximalNewton& newton_;
  ClassicFrictionOptions options_;
  const ContactRows& rows_;
  std::vector<BlockLinearization> blocks_;
  Vector x_, u_, d_, Wd_, b_, z_, A_;
};

}  // namespace

ClassicFrictionReport classic_friction(ProximalNewton& newton,
                                       const ClassicFrictionOptions& options,
                                       const std::function<bool()>& stop) {
  ClassicFrictionReport report;
  Iteration iteration(newton, options);
  for (;;) {
    report.solved = iteration.measure();
    if (report.solved || report.iterations >= options.max_iterations || (stop && stop())) break;
    const NewtonSolve solve = iteration.step();
    ++report.iterations;
    report.linear_iterations += solve.linear_iterations;
    report.linear_failure = !solve.ok || !iteration.finite();
    if (report.linear_failure) break;
  }
  return report;
}

}  // namespace nsn
