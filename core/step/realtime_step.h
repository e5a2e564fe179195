/// The realtime step: a bounded number of factorisations, and never worse than safe.
///
/// The rows are linearised once, at the velocity of the last step; the linear problem
///   v = W r + q,   W = J M^-1 J^T + E,   q = J (u_free - u_start) + value(u_start)
/// is attacked by proximal full-step Newton (core/contact/proximal_newton.h). Where it is cheaper, the rows
/// that joints hold leave it first (core/step/jointed_mass.h): what is left of a robot are contacts,
/// limits and drives, few and small. Beside the Newton iterate x
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
/// from there; its result counts only if its error is smaller and it gains no energy. Of joints
/// that turn far in a step the error is taken in m/s, spins times the radius of gyration of their
/// body, and against 1.5 h w of the step's speed, w the mean spin: below that it is no longer
/// larger than what a step of first order leaves. A small problem of joints that is left with an
/// error of the size of its speed may take three times the factorisations. Where less is left of
/// it, the matrices of the linearisation before serve once more, as long as the error falls fast:
/// with g = M (u_free - u) + J^T r and the values of the rows at the result, J' and H' of before,
///   base = H'^-1 (g + J'_e^T (free_r - r_e) - J'_k^T r_k),   q = value + J'_k base.
/// What is left with many times its speed has failed, as where limbs turn by radians a step; it
/// then at least gains no energy over a step without any impulse.
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
/// handed over to the accurate method (core/step/accurate_step.h).
#pragma once

#include <memory>
#include <vector>

#include "nsn/core/contact/anderson_admm.h"
#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/step/accurate_step.h"
#include "nsn/core/step/delassus.h"
#include "nsn/core/step/jointed_mass.h"
#include "nsn/core/step/newton.h"

namespace nsn {

class RealtimeStep final : public StepMethod {
 public:
  RealtimeStep(const NewtonOptions& options, const SolverRegistry& registry);

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;
  const std::vector<NewtonIteration>& history() const override { return history_; }
  void observe(NewtonObserver observer) override { accurate_.observe(std::move(observer)); }
  /// Few rows, some of them of joints, nothing elastic, and never handed over.
  bool shareable(const System& system) const override;

 private:
  void fit(StepEquations& equations, ConstVector r);
  bool worth_condensing(const System& system) const;
  bool find_far(const System& system, ConstVector r);
  bool meet_far(const System& system);
  void find_deep(const System& system);
  bool laws_fit(const System& system) const;
  void build(const System& system);
  /// Row block of the step that unknown block k stands for, and how many there are.
  Index row_of(Index k) const {
    return condensed_ ? jointed_.kept()[static_cast<std::size_t>(k)] : k;
  }
  Index unknowns() const { return rows_.blocks(); }
  [[nodiscard]] bool linearise(StepEquations& equations, ConstVector r, bool warm);
  [[nodiscard]] bool linearise_again(StepEquations& equations, const State& state);
  void start_at(const System& system, ConstVector u);
  void linearise_values(const System& system, const State& state);
  [[nodiscard]] bool set_problem(const System& system, ConstVector u, ConstVector r, ConstVector H,
                                 ConstVector H_inverse);
  void find_turn(const System& system, ConstVector r);
  void pay_for_recovery(const System& system, ConstVector r);
  void set_q();
  void keep_penetration();
  void start_problem();
  void start_safe(ConstVector r);
  void measure_safe();
  void make_iterate_safe();
  void centre_on_safe();
  bool drop_contact_impulses();
  void sweep(Vector x, int passes);
  void start_cold(NewtonResult& result);
  /// Until `budget` factorisations of the step are spent.
  void newton(int budget, NewtonResult& result);
  void solve_condensed(NewtonResult& result);
  [[nodiscard]] bool newton_from_zero(int budget, NewtonResult& result);
  void polish();
  void clip(Vector x) const;
  NewtonResult solve_elastic(StepEquations& equations, State& state, bool warm);
  NewtonResult give_up(StepEquations& equations, State& state);
  /// Largest natural-map error of a scaled x with v = W x + q, m/s.
  double error(ConstVector x, ConstVector v) const;
  /// Takes safe + t (z - safe) for the first t of the list that lowers the error.
  void offer(ConstVector z, int tries);
  void offer_iterate();
  void record(double alpha, const NewtonSolve& solve, NewtonResult& result);
  void take_safe();
  bool limit_energy(const System& system);
  void set_state(State& state);
  double energy_gain(const System& system, const State& state);
  void finish(StepEquations& equations, State& state, NewtonResult& result);
  double own_error(const System& system, const State& state, const StepError& all);
  void improve(StepEquations& equations, State& state, NewtonResult& result);
  void calm(StepEquations& equations, State& state, NewtonResult& result);
  bool hands_over(const NewtonResult& result, bool warm) const;

  NewtonOptions options_;
  RealtimePolicy policy_;
  std::vector<NewtonIteration> history_;
  AccurateStep accurate_;  // for the hand-over
  AccurateStep elastic_;   // islands with elastic elements
  std::uint64_t pattern_id_ = 0;
  ContactRows rows_;  // of the unknown blocks
  StepEvaluation at_;
  BlockCsr linear_;  // J of the present linear problem; its values and those of at_ change places
  std::uint64_t linear_pattern_ = 0;
  std::vector<double> linear_values_;
  Delassus delassus_;
  JointedMass jointed_;
  std::vector<std::uint8_t> far_, last_far_;  // of each row block: left out where condensed
  bool turns_ = false;                        // condensed, and bodies turn far in the step
  bool condensed_ = false;                    // rows without bounds are not among the unknowns
  DualSystem dual_;
  bool direct_ = true;   // a factorisation serves many solves
  bool lagged_ = false;  // a symmetric Krylov solver: the friction bound lags by one iterate
  std::unique_ptr<ProximalNewton> newton_;
  std::unique_ptr<ContactGaussSeidel> sweeps_;
  bool sweeps_fit_ = false;  // sweeps_ has the values of the present problem
  std::unique_ptr<AndersonAdmm> admm_;
  std::vector<double> arena_;
  // 3 per unknown block
  Vector q_, deep_, x_, v_, z_, safe_, v_safe_, trial_, v_trial_, r_zero_, r_;
  // 3 per row block of the step; free_r_: impulses of condensed rows without those of the others
  Vector free_r_, all_r_;
  // 3 per node; the linear problem is around origin_: u = origin_ + base_ + H^-1 J^T r, the last
  // term in push_
  Vector origin_, base_, push_, impulse_;
  Vector H_, H_inverse_;                 // 9 per node
  ConstVector inverse_;                  // H^-1 of the present problem, where nothing is condensed
  std::vector<double> best_u_, best_r_;  // the best result, while another is sought
  double turned_ = 0.0;  // |M^-1 (J - J_start)^T r| of the last impulses, m/s or rad/s
  double safe_error_ = 0.0;
  double goal_ = 0.0;  // of safe_error_: spend no more
  double good_ = 0.0;  // error of a step of joints that is worth no further linearisation, m/s
  int rounds_ = 0;     // linearisations of the step
  int budget_ = 0;     // factorisations it may take
};

}  // namespace nsn
