/// The realtime step: a bounded number of factorisations, and never worse than safe.
///
/// The rows are linearised once, at the velocity of the last step (core/step/reductions/reduction.h). If it is
/// cheaper, the rows that joints hold leave the problem first: what is left of a robot are
/// contacts, limits and drives, few and small. The linear problem is solved by proximal Newton
/// beside a point that is always safe (core/step/bounded_newton.h), started from the last step's
/// impulses.
///
/// Last impulses are not trusted blindly: in a jam they may hold large self-equilibrated forces
/// that balance no more once the bodies have moved. If contacts without any impulse are closer to
/// the solution, the step starts cold.
///
/// At the end an energy bound shortens the impulses if the step would gain energy that no force
/// and no moving body has put in (core/step/energy_guard.h), and u = u0 + base + push(r) with the
/// same J: with J evaluated again the two would diverge if h r_N L / I > 1.
///
/// If that leaves an error above `goal` and factorisations are left, the rows are
/// linearised again at the result, now with geometric stiffness, and the same iteration goes on
/// from there; its result counts only if its error is smaller and it gains no energy. Of joints
/// that turn far in a step the error is taken in m/s, spins times the radius of gyration of their
/// body, and against 1.5 h w of the step's speed, w the RMS spin: below that it is no longer
/// larger than what a step of first order leaves. A small problem of joints may take three times
/// the factorisations.
///
/// One linearisation is not enough if elastic elements turn and stretch: islands that have some
/// are solved by the accurate method within the same number of factorisations. If soft bodies
/// snap from one shape to another that would leave errors of the size of their stiffness: a step
/// whose error is still large may take three times as many.
///
/// The step's target is what is worth no further linearisation: 1 % of its speed, and 1.5 h w of it
/// where joints turn far.
///
/// If the options allow it, a step that is left with a large error, or that started cold, is
/// handed over to the accurate method (core/step/accurate_step.h).
#pragma once

#include "nsn/core/step/accurate_step.h"
#include "nsn/core/step/bounded_newton.h"
#include "nsn/core/step/energy_guard.h"
#include "nsn/core/step/far_rows.h"
#include "nsn/core/step/reductions/reductions.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

class RealtimeStep final : public StepMethod {
 public:
  RealtimeStep(const NewtonOptions& options, const SolverRegistry& registry, StepMonitor& monitor);

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;
  /// Some rows are of joints, nothing is elastic, and steps are never handed over.
  bool shareable(const System& system) const override;

 private:
  void fit(StepEquations& equations, ConstVector r);
  void build(const System& system);
  void admit_far_rows(const System& system);
  bool reduced() const { return reductions_.is_jointed(); }
  /// Contacts that a slow island leaves out count: a jam stays one when it hardly moves.
  bool few() const {
    return reduced() && cheap_at_worst(static_cast<Index>(laws_.size()) + far_.idle());
  }
  void set_goals(const System& system);
  [[nodiscard]] bool linearise_first(StepEquations& equations, State& state, bool warm);
  [[nodiscard]] bool linearise_again(StepEquations& equations, const State& state);
  void start(ConstVector r);
  void solve_first(double speed_scale, bool warm, NewtonResult& result);
  void take_safe();
  void set_state(State& state);
  double energy_gain(const System& system, const State& state);
  bool may_linearise(const System& system) const;
  void improve(StepEquations& equations, State& state, NewtonResult& result);
  /// m/s
  double target_of(const System& system) const;
  static void hold_against_target(double error, double target, NewtonResult& result);
  NewtonResult solve_elastic(StepEquations& equations, State& state, bool warm);
  NewtonResult give_up(StepEquations& equations, State& state);
  NewtonResult hand_over(StepEquations& equations, State& state, int spent);

  NewtonOptions options_;
  RealtimePolicy policy_;
  StepMonitor& monitor_;
  AccurateStep accurate_;  // for the hand-over
  AccurateStep elastic_;   // islands with elastic elements
  Reductions reductions_;
  StepReduction* reduction_ = nullptr;  // of the present pattern
  BoundedNewton bounded_;
  std::uint64_t pattern_id_ = 0;
  std::vector<RowLaw> laws_;  // of the rows that stay
  StepEvaluation at_;
  FarRows far_;
  EnergyGuard energy_;
  std::vector<double> arena_;
  Vector r_, v_;  // 3 per row block that stays
  Vector push_;   // 3 per node
  BestIterate best_;
  bool turns_ = false;  // rows are reduced, and bodies turn far in the step
  double goal_ = 0.0;   // error of the linear problem, m/s: spend no more
  double good_ = 0.0;   // error of a reduced step that is worth no further linearisation, m/s
  int rounds_ = 0;      // linearisations of the step
  int budget_ = 0;      // factorisations it may take
};

}  // namespace nsn
