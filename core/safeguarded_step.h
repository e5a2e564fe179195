/// The realtime step: a bounded number of factorisations, and never worse than safe.
///
/// The rows are linearised once, at the velocity of the last step; the linear problem
///   v = W r + q,   W = J M^-1 J^T + E,   q = J (u_free - u_start) + value(u_start)
/// is attacked by proximal full-step Newton (core/proximal_newton.h). Beside the Newton iterate x
/// there is a safe one, always inside its cones: it starts as last step's impulses and moves only
/// to points of smaller error on the way to the projected x (the cone is convex), or to the end of
/// a few Gauss-Seidel sweeps. At the end an energy bound shortens the impulses where they would do
/// more work than gravity can pay for, and u = u_free + M^-1 J^T r in one pass with the same J.
///
/// Penetration that exists at the start is kept, not pushed out.
#pragma once

#include <memory>
#include <vector>

#include "core/delassus.h"
#include "core/dual_system.h"
#include "core/newton.h"
#include "core/proximal_step.h"

namespace nsn {

class SafeguardedTimeStep final : public StepMethod {
 public:
  SafeguardedTimeStep(const NewtonOptions& options, const SolverRegistry& registry);

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;
  const std::vector<NewtonIteration>& history() const override { return history_; }
  void observe(NewtonObserver observer) override { accurate_.observe(std::move(observer)); }

 private:
  void fit(const System& system);
  void linearise(StepEquations& equations);
  void set_scaling();
  void clip(const System& system, Vector x) const;
  /// Largest natural-map error of a scaled x with v = W x + q, m/s.
  double error(const System& system, ConstVector x, ConstVector v) const;
  /// Takes safe + t (z - safe) for the first t of the list that lowers the error.
  void offer(const System& system, ConstVector z, int tries);
  void newton(const System& system, NewtonResult& result);
  double natural_map(const System& system, double& proximity);
  void set_weights(const System& system, double alpha);
  void sweep(const System& system, Vector x, int sweeps) const;
  bool limit_energy(const System& system, Vector r);

  NewtonOptions options_;
  std::vector<NewtonIteration> history_;
  ProximalTimeStep accurate_;  // for the hand-over
  std::uint64_t pattern_id_ = 0;
  StepEvaluation at_;
  Delassus delassus_;
  DualSystem dual_;
  bool lagged_ = false;  // a symmetric Krylov solver: the friction bound lags by one iterate
  bool ready_ = false;
  std::vector<BlockLinearization> blocks_;
  std::vector<double> sizes_;
  Vector q_, s_, q_scaled_, x_, v_, phi_, b_, d0_, z_, A_, centre_, safe_, v_safe_, trial_,
      v_trial_;
  Vector scratch_u_, scratch_r_, u_zero_, bound_lo_, bound_hi_;
  double safe_error_ = 0.0;
};

}  // namespace nsn
