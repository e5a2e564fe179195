#include "nsn/core/step/realtime_step.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/math3.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/swept_step.h"

namespace nsn {
namespace {

/// The same tolerance, budget and solvers for the accurate method: elastic elements, with as many
/// linearisations as there are factorisations.
NewtonOptions elastic_options(NewtonOptions options) {
  const RealtimeOptions& own = options.realtime();
  AccurateOptions accurate;
  accurate.ncp = own.ncp;
  accurate.elimination = own.elimination;
  options.method = accurate;
  return options;
}

/// What a step that is handed over is solved with.
NewtonOptions accurate_options(const NewtonOptions& options) {
  NewtonOptions accurate = elastic_options(options);
  accurate.max_iterations = std::max(options.max_iterations, 400);
  return accurate;
}

ReductionRules reduction_rules(const RealtimeOptions& options) {
  return {.elimination = options.elimination, .joints = true, .realtime = options.policy};
}

/// How far bodies turn in a step at their first velocity, rad: root of the mean square, weighted by
/// inertia, so that light pieces which rattle do not count.
double turn(const System& system) {
  double energy = 0.0;
  double inertia = 0.0;
  for (Index n = 1; n < system.rigid_nodes; n += 2) {
    const Mat3 I = load9(&system.M(kBlockSize * n));
    const Vec3 spin = load3(&system.u_start(kBlock * n));
    energy += dot(spin, I * spin);
    inertia += trace(I) / 3.0;
  }
  return inertia > 0.0 ? system.h * std::sqrt(energy / inertia) : 0.0;
}

}  // namespace

RealtimeStep::RealtimeStep(const NewtonOptions& options, const SolverRegistry& registry,
                           StepMonitor& monitor)
    : options_(options),
      policy_(options.realtime().policy),
      monitor_(monitor),
      accurate_(accurate_options(options), registry, monitor),
      elastic_(elastic_options(options), registry, monitor,
               {policy_.hand_over_error, policy_.overtime}),
      reductions_(reduction_rules(options.realtime())),
      bounded_(options, registry, monitor) {
  monitor_.reserve_history(policy_.overtime * options.max_iterations + 2);
}

bool RealtimeStep::shareable(const System& system) const {
  if (options_.realtime().hand_over || system.compliance_varies) return false;
  return std::any_of(system.laws.begin(), system.laws.end(),
                     [](const RowLaw& law) { return law.unbounded(); });
}

void RealtimeStep::fit(StepEquations& equations, ConstVector r) {
  const System& system = equations.system();
  at_.fit(system);
  at_.evaluate(equations, system.u_start);
  const bool far_changed = far_.find(system, at_, r, policy_);
  const bool same = reduction_ != nullptr && pattern_id_ == system.pattern_id &&
                    reductions_.fits(system) && !(reduced() && far_changed);
  if (!same) {
    reduction_ = nullptr;  // an exception below must not leave half a problem behind
    StepReduction& chosen = reductions_.choose(system, at_.J, far_.marks());
    bounded_.hear();
    reduction_ = &chosen;
    pattern_id_ = system.pattern_id;
  }
  reduction_->begin(system);
  select_laws(system.laws, reduction_->kept(), laws_);
  if (same && bounded_.fits(laws_)) {
    bounded_.change_laws(laws_);
  } else {
    build(system);
  }
}

void RealtimeStep::build(const System& system) {
  bounded_.analyze(*reduction_, laws_);
  const std::size_t kept = kBlock * laws_.size();
  const auto dofs = static_cast<std::size_t>(system.dofs());
  arena_.resize(2 * kept + dofs);
  r_ = Vector(arena_.data(), kept);
  v_ = Vector(r_.data() + kept, kept);
  push_ = Vector(v_.data() + kept, dofs);
}

/// Far blocks that the present motion would violate take part from now on; at_ has the rows there.
void RealtimeStep::admit_far_rows(const System& system) {
  if (!reduced() || !far_.admit(system, at_)) return;
  reductions_.readmit(system, at_.J, far_.marks());
  select_laws(system.laws, reduction_->kept(), laws_);
  build(system);
}

void RealtimeStep::set_goals(const System& system) {
  const double turned = policy_.worth_turn * turn(system);
  turns_ = reduced() && turned > policy_.worth_joints;
  good_ = std::max(policy_.worth_joints, turned) * system.speed_scale;
  goal_ = reduced() ? std::max(policy_.goal, policy_.linear_share * good_) : policy_.goal;
}

/// At the first velocity, where at_ has the rows. If bodies turn far, the stiffness of the last
/// impulses says little about this step.
bool RealtimeStep::linearise_first(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  const bool stiffness = reduced() && warm && !turns_;
  reduction_->forget_impulses();
  if (!reduction_->linearise(equations, at_, system.u_start, state.r, stiffness)) return false;
  bounded_.set_problem(*reduction_);
  return true;
}

/// At state.u, where at_ was measured, with geometric stiffness.
bool RealtimeStep::linearise_again(StepEquations& equations, const State& state) {
  if (!reduction_->linearise(equations, at_, state.u, state.r, true)) return false;
  bounded_.set_problem(*reduction_);
  return true;
}

void RealtimeStep::start(ConstVector r) {
  reduction_->gather(r, r_);
  bounded_.start(r_, goal_);
}

/// r_ = the safe impulses, push_ = what they do.
void RealtimeStep::take_safe() {
  bounded_.safe().impulses(r_);
  reduction_->push(r_, push_);
}

/// u = origin + base + push, r from r_, those of the eliminated rows from the motion.
void RealtimeStep::set_state(State& state) {
  if (reduced()) fill(state.r, 0.0);  // those of far blocks
  reduction_->scatter(r_, state.r);
  axpby(1.0, reduction_->base(), 1.0, push_);
  reduction_->eliminated_impulses(push_, state.r);
  copy(reduction_->origin(), state.u);
  axpby(1.0, push_, 1.0, state.u);
}

double RealtimeStep::energy_gain(const System& system, const State& state) {
  bounded_.safe().response(v_);
  axpby(1.0, reduction_->q(), 1.0, v_);
  return EnergyGuard::gain(system, *reduction_, v_, state);
}

/// Bodies that rest, or nearly, have last step's impulses, and what these leave is solved to the end:
/// from there, however often, nothing creeps. In motion impulses that only balance each other would
/// live on.
void RealtimeStep::solve_first(double speed_scale, bool warm, NewtonResult& result) {
  rounds_ = 1;
  budget_ = options_.max_iterations;
  // A warm step keeps one in six factorisations back for the second linearisation.
  const int most = budget_ - budget_ / 6;
  if (warm && bounded_.safe().error() <= policy_.worth_joints * speed_scale) {
    bounded_.solve_near(most, policy_.goal, result);
    return;
  }
  if (reduced()) {
    bounded_.solve_reduced(budget_, few(), true, result);
    return;
  }
  const bool cold = !warm || bounded_.drop_contact_impulses();
  bounded_.solve(cold ? budget_ : most, cold, result);
}

bool RealtimeStep::may_linearise(const System& system) const {
  const WorkClock& work = monitor_.work();
  return work.fits(Work::kForm, work.limited() ? forming_operations(system) : 0.0);
}

/// Further linearisations, each at the result of the one before; the best result is the step's.
void RealtimeStep::improve(StepEquations& equations, State& state, NewtonResult& result) {
  const System& system = equations.system();
  double best = result.error.total;
  bool at_best = true;
  if (few()) budget_ = policy_.overtime * options_.max_iterations;
  for (;;) {
    const bool spent = (reduced() && 2 * rounds_ >= budget_) || result.iterations >= budget_;
    const bool good = best <= (reduced() ? good_ : policy_.goal) &&
                      !(reduced() && at_best && far_.any_violated(system, at_, goal_));
    if (good || spent || !may_linearise(system)) break;
    if (at_best) best_.take(state, result.error);
    at_best = false;
    ++rounds_;
    const bool was_few = few();
    admit_far_rows(system);
    if (!linearise_again(equations, state)) break;
    start(state.r);
    if (reduced()) {
      bounded_.solve_reduced(budget_, few(), false, result);
    } else {
      bounded_.solve(budget_, false, result);
    }
    take_safe();
    set_state(state);
    const double gain = energy_gain(system, state);
    at_.evaluate(equations, state.u);
    const StepError error = at_.error(system, state.u, state.r);
    at_best = gain <= 0.0 && error.total < best;
    if (at_best) {
      best = error.total;
      result.error = error;
      result.energy_limited = false;
    } else if (!was_few || !std::isfinite(error.total)) {
      break;  // few rows: Newton's method need not fall from step to step
    }
  }
  if (at_best) return;
  best_.restore(state);
  at_.evaluate(equations, state.u);
}

double RealtimeStep::target_of(const System& system) const {
  return policy_.worth_joints * system.speed_scale;
}

void RealtimeStep::hold_against_target(double error, double target, NewtonResult& result) {
  result.target_error = error;
  result.target = target;
  const bool usable = result.status != NewtonStatus::kNonFinite;
  if (!result.converged() && usable && error <= target) result.status = NewtonStatus::kOnTarget;
}

/// The accurate method takes over from state.
NewtonResult RealtimeStep::hand_over(StepEquations& equations, State& state, int spent) {
  NewtonResult result = accurate_.solve(equations, state, true);
  result.iterations += spent;
  result.handed_over = true;
  hold_against_target(result.error.total, target_of(equations.system()), result);
  return result;
}

/// The accurate method within the budget, its best iterate.
NewtonResult RealtimeStep::solve_elastic(StepEquations& equations, State& state, bool warm) {
  NewtonResult result = elastic_.solve(equations, state, warm);
  hold_against_target(result.error.total, target_of(equations.system()), result);
  if (!options_.realtime().hand_over || result.error.total <= policy_.hand_over_error)
    return result;
  return hand_over(equations, state, result.iterations);
}

/// No linear problem: the free motion, and what that is worth.
NewtonResult RealtimeStep::give_up(StepEquations& equations, State& state) {
  NewtonResult result;
  copy(equations.system().u_free, state.u);
  fill(state.r, 0.0);
  at_.evaluate(equations, state.u);
  result.error = at_.error(equations.system(), state.u, state.r);
  result.linear_solver = std::string(bounded_.linear_solver());
  result.form = reductions_.form();
  result.status = NewtonStatus::kNonFinite;
  hold_against_target(result.error.total, target_of(equations.system()), result);
  return result;
}

NewtonResult RealtimeStep::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  if (system.compliance_varies) return solve_elastic(equations, state, warm);
  if (!warm) fill(state.r, 0.0);
  bounded_.observe(
      monitor_.observed()
          ? [this](const LinearOperator& S, ConstVector b) { show(monitor_, *reduction_, S, b); }
          : DualSystem::Observer{});
  fit(equations, state.r);
  set_goals(system);
  bounded_.hear();
  NewtonResult result;
  if (!linearise_first(equations, state, warm)) return give_up(equations, state);
  bounded_.hear();
  start(state.r);
  solve_first(system.speed_scale, warm, result);
  bounded_.hear();
  take_safe();
  result.energy_limited = energy_.limit(system, *reduction_, r_, push_);
  set_state(state);
  at_.evaluate(equations, state.u);
  result.error = at_.error(system, state.u, state.r);
  result.linear_solver = std::string(bounded_.linear_solver());
  result.form = reductions_.form();
  improve(equations, state, result);
  const bool converged = result.error.relative <= options_.tolerance;
  const bool cut_short = result.iterations < budget_ && !bounded_.may_factorise();
  result.status = converged                             ? NewtonStatus::kConverged
                  : cut_short || monitor_.out_of_time() ? NewtonStatus::kCancelled
                                                        : NewtonStatus::kBudgetReached;
  hold_against_target(result.error.total, reduced() ? good_ : target_of(system), result);
  // A large error, or a cold start ("load time") that is not solved.
  const bool hard = result.error.total > policy_.hand_over_error || (!warm && !converged);
  if (!options_.realtime().hand_over || !hard || result.status == NewtonStatus::kCancelled)
    return result;
  return hand_over(equations, state, result.iterations);
}

}  // namespace nsn
