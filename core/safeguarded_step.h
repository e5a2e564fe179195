/// The realtime step: a bounded number of factorisations, and never worse than safe.
///
/// The rows are linearised once, at the velocity of the last step; the linear problem
///   v = W r + q,   W = J M^-1 J^T + E,   q = J (u_free - u_start) + value(u_start)
/// is attacked by proximal full-step Newton (core/proximal_newton.h). Beside the Newton iterate x
/// there is a safe one, always inside its cones: it starts as last step's impulses and moves only
/// to points of smaller error on the way to the projected x (the cone is convex), or to the end of
/// a few Gauss-Seidel sweeps. Without last impulses, Anderson-accelerated ADMM (it counts as a
/// factorisation) and more sweeps make the start.
///
/// Last impulses are not trusted blindly: in a jam they may hold large self-equilibrated forces
/// that balance no more once the bodies have moved. Where contacts without any impulse are much
/// closer to the solution, the step starts cold. Where the turn of the rows of joints within the
/// step alone makes their last impulses change velocities by far more than any there is, those are
/// zeroed.
///
/// At the end an energy bound shortens the impulses where the step would gain energy that no force
/// and no moving body has put in, and u = u_free + M^-1 J^T r in one pass with the same J: with J
/// evaluated anew the two would diverge where h r_N L / I > 1.
///
/// Where that leaves an error above kWorthARound and factorisations are left, the rows are
/// linearised once more at the result, now with geometric stiffness, and the same iteration goes on
/// from there; its result counts only if its error is smaller and it gains no energy.
///
/// Penetration that exists at the start is kept, not pushed out, but for what the friction of the
/// step can pay for.
///
/// One linearisation is not enough where elastic elements turn and stretch: islands that have some
/// are solved by the accurate method within the same number of factorisations. Where soft bodies
/// snap from one shape to another that would leave errors of the size of their stiffness: a step
/// whose error is still large may take three times as many.
///
/// Where the options allow it, a step that is left with a large error, or that started cold, is
/// handed over to the accurate method (core/proximal_step.h).
#pragma once

#include <memory>
#include <vector>

#include "core/anderson_admm.h"
#include "core/contact_gauss_seidel.h"
#include "core/delassus.h"
#include "core/dual_system.h"
#include "core/newton.h"
#include "core/proximal_newton.h"
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
  void build(const System& system);
  void linearise(StepEquations& equations, ConstVector r, bool warm);
  void linearise_again(StepEquations& equations, const State& state);
  void set_problem(ConstVector inverse_mass);
  void pay_for_recovery(const System& system, ConstVector r);
  void start_safe(ConstVector r);
  bool drop_contact_impulses();
  void start_cold(NewtonResult& result);
  /// Until `budget` factorisations of the step are spent.
  void newton(int budget, NewtonResult& result);
  void polish();
  void clip(Vector x) const;
  NewtonResult solve_elastic(StepEquations& equations, State& state, bool warm);
  /// Largest natural-map error of a scaled x with v = W x + q, m/s.
  double error(ConstVector x, ConstVector v) const;
  /// Takes safe + t (z - safe) for the first t of the list that lowers the error.
  void offer(ConstVector z, int tries);
  void record(double alpha, const NewtonSolve& solve, NewtonResult& result);
  bool limit_energy(const System& system, Vector r);
  double energy_gain(const System& system, const State& state);
  void finish(StepEquations& equations, State& state, NewtonResult& result);
  double own_error(const System& system, const State& state);
  bool improve(StepEquations& equations, State& state, NewtonResult& result);
  bool hands_over(const NewtonResult& result, bool warm) const;

  NewtonOptions options_;
  std::vector<NewtonIteration> history_;
  ProximalTimeStep accurate_;  // for the hand-over
  ProximalTimeStep elastic_;   // islands with elastic elements
  std::uint64_t pattern_id_ = 0;
  ContactRows rows_;
  StepEvaluation at_;
  Delassus delassus_;
  DualSystem dual_;
  bool direct_ = true;   // a factorisation serves many solves
  bool lagged_ = false;  // a symmetric Krylov solver: the friction bound lags by one iterate
  std::unique_ptr<ProximalNewton> newton_;
  std::unique_ptr<ContactGaussSeidel> sweeps_;
  std::unique_ptr<AndersonAdmm> admm_;
  Vector q_, kept_, x_, v_, z_, safe_, v_safe_, trial_, v_trial_, r_zero_;  // row vectors
  Vector impulse_, change_, zero_, best_u_;                                 // node vectors
  Vector best_r_, H_, H_inverse_;
  double turned_ = 0.0;  // |M^-1 (J - J_start)^T r| of the last impulses, m/s or rad/s
  double safe_error_ = 0.0;
};

}  // namespace nsn
