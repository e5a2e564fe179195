/// The accurate step: proximal full-step Newton (core/proximal_newton.h) around rows that are
/// linearised again at every accepted proximal step.
///
///   linearise at (u, r):   J, value at q(u);  H = M + geometric stiffness of r
///                          u_f = u - H^-1 M (u - u_free)
///                          W = J H^-1 J^T + E,    q = J (u_f - u) + value
///   one proximal step on   v = W r + q   with the laws of the rows
///   accepted:              u = u_f + H^-1 J^T r, measure, linearise there
///   rejected:              same linearisation, larger proximal parameter
///
/// After `restart_after` factorisations the step starts once more, and then linearises anew only
/// where the error is at most ten times the smallest so far.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/delassus.h"
#include "core/dual_system.h"
#include "core/newton.h"
#include "core/proximal_newton.h"

namespace nsn {

class ProximalTimeStep final : public StepMethod {
 public:
  ProximalTimeStep(const NewtonOptions& options, const SolverRegistry& registry);

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;
  const std::vector<NewtonIteration>& history() const override { return history_; }
  void observe(NewtonObserver observer) override;

 private:
  void fit(const System& system);
  void build(const System& system);
  void linearise(StepEquations& equations, ConstVector u, ConstVector r);
  /// u = u_f + H^-1 J^T r with the J of the last linearisation.
  void velocity(const System& system, ConstVector r, Vector u);
  bool measure(StepEquations& equations, const State& state);
  NewtonStatus iterate(StepEquations& equations, State& state, double alpha, int budget,
                       bool guarded, NewtonResult& result);
  void record(const StepError& error, const ProximalStep& step, NewtonResult& result);
  bool out_of_time() const;

  NewtonOptions options_;
  const SolverRegistry* registry_;
  NewtonObserver observer_;
  std::vector<NewtonIteration> history_;
  std::chrono::steady_clock::time_point started_;

  std::uint64_t pattern_id_ = 0;
  ContactRows rows_;
  StepEvaluation at_;
  Delassus delassus_;
  std::unique_ptr<DualSystem> dual_;
  std::unique_ptr<ProximalNewton> newton_;
  Vector H_, H_inverse_, u_f_, q_, scratch_, start_u_, start_r_, warm_r_, best_u_, best_r_;
  ConstVector E_;         // of the system being solved
  int observed_ = 0;      // linear systems shown to the observer
  StepError error_;       // of the last measured iterate
  StepError best_error_;  // of best_u_, best_r_
  double smallest_ = 0.0;
};

}  // namespace nsn
