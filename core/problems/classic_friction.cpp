#include "nsn/core/problems/classic_friction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/law_map.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {
namespace {

class Iteration {
 public:
  Iteration(ProximalNewton& newton, const ClassicFrictionOptions& options)
      : newton_(newton),
        system_(newton.problem().system()),
        options_(options),
        laws_(newton.problem().laws()),
        blocks_(laws_.size()) {
    for (Vector* v : {&x_, &u_, &d_, &Wd_, &b_, &z_, &A_})
      *v = zero_vector(newton.problem().rows());
    std::fill_n(A_.data(), A_.extent(0), options.regularisation);
    newton.scaled_centre(x_);
  }

  /// u = W x + q; true if (x, u) meets the goal.
  bool measure() {
    newton_.problem().velocity(x_, u_);
    return newton_.meets_goal(newton_.offer(x_, u_));
  }

  NewtonSolve step() {
    for (std::size_t i = 0; i < laws_.size(); ++i) linearise(i);
    system_.apply(d_, Wd_);
    for (std::size_t i = 0; i < laws_.size(); ++i) {
      double moved[3];
      restrict_to(blocks_[i], Wd_.data() + 3 * i, moved);
      for (std::size_t k = 0; k < 3; ++k) b_(3 * i + k) -= moved[k];
    }
    system_.prepare(blocks_, A_);
    const NewtonSolve solve = system_.solve(b_, z_);
    if (!solve.ok) return solve;
    for (std::size_t i = 0; i < laws_.size(); ++i) {
      if (blocks_[i].active != 0) expand(blocks_[i], z_.data() + 3 * i, d_.data() + 3 * i);
    }
    axpby(options_.damping, d_, 1.0, x_);
    return solve;
  }

  bool finite() const { return all_finite(x_); }

 private:
  void linearise(std::size_t i) {
    const RowLaw& law = laws_[i];
    const double* const x = x_.data() + 3 * i;
    const double* const u = u_.data() + 3 * i;
    double phi[3];
    const ncp::LinearisedBlock out{phi, d_.data() + 3 * i, b_.data() + 3 * i, blocks_[i]};
    if (!law.is_contact()) return linearise_box(law, x, u, out);
    const bool planar = law.kind == RowLaw::Kind::kPlanarContact;
    const double F = law.mu * std::max(x[0], 0.0);
    out.clear();
    switch (options_.method) {
      case ClassicFriction::kAlartCurnier:
        return ncp::linearise_contact(ncp::NormalMap::kMinimum, x, u, law.mu, planar, false, out);
      case ClassicFriction::kAlartCurnierSymmetric:
        ncp::linearise_minimum(x[0], u[0], 1.0, out);
        return ncp::linearise_friction({F, 0.0, 0.0}, x, u, 1.0, planar, false, out);
      case ClassicFriction::kPaperMinimum:
        ncp::linearise_minimum(x[0], u[0], 1.0, out);
        return ncp::linearise_fixed_point(ncp::FixedPointFriction::kMinimumMap, F, 0.0, x, u, 1.0,
                                          planar, out);
      case ClassicFriction::kPaperFb:
        ncp::linearise_fischer_burmeister(x[0], u[0], ncp::Origin::kActive, out);
        return ncp::linearise_fixed_point(ncp::FixedPointFriction::kFischerBurmeister, F, 0.0, x, u,
                                          1.0, planar, out);
    }
  }

  ProximalNewton& newton_;
  NewtonSystem& system_;
  ClassicFrictionOptions options_;
  std::span<const RowLaw> laws_;  // scaled
  std::vector<ncp::BlockLinearization> blocks_;
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
