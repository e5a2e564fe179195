#include "nsn/core/step/accurate_step.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/no_solution.h"
#include "nsn/core/linear/linear_chain.h"
#include "nsn/core/step/swept_step.h"

namespace nsn {
namespace {

// A contact takes part in a certificate if its impulse is this part of the largest.
constexpr double kSqueezed = 0.1;

ReductionRules reduction_rules(const NewtonOptions& options) {
  return {.elimination = options.accurate().elimination,
          .stiffness = options.accurate().stiffness,
          .elastic = true};
}

}  // namespace

AccurateStep::AccurateStep(const NewtonOptions& options, const SolverRegistry& registry,
                           StepMonitor& monitor, const Overtime& overtime)
    : options_(options),
      policy_(options.accurate().policy),
      overtime_(overtime),
      monitor_(monitor),
      normals_(registry.make("contact-lu")),
      dual_(make_linear_chain(options.linear, registry)),
      reductions_(reduction_rules(options)) {
  dual_.obey(&monitor.work());
  monitor_.reserve_history(options.max_iterations + 16);
}

void AccurateStep::fit(const System& system) {
  at_.fit(system);
  const bool known = reduction_ != nullptr && pattern_id_ == system.pattern_id;
  if (!known) {
    reduction_ = nullptr;  // an exception below must not leave half a problem behind
    reduction_ = &reductions_.choose(system, at_.J);
    pattern_id_ = system.pattern_id;
  }
  reduction_->begin(system);
  select_laws(system.laws, reduction_->kept(), laws_);
  if (known && (!has_unknowns() || same_kinds(newton_->laws(), laws_))) {
    if (has_unknowns()) newton_->change_laws(laws_);
  } else {
    build(system);
  }
}

void AccurateStep::build(const System& system) {
  const bool sparse = reductions_.is_elastic();
  sweeps_.reset();
  newton_.reset();
  proximal_ = {};
  // The step's own error decides; the linear problem only must not claim to be solved before.
  proximal_.tolerance = std::max(1e-4 * options_.tolerance, 1e-14);
  proximal_.unit_free_factor = 1.0;
  proximal_.goal = 0.3;
  proximal_.max_factorizations = options_.max_iterations;
  proximal_.normal_map = options_.accurate().ncp == NcpKind::kFischerBurmeister
                             ? ncp::NormalMap::kFischerBurmeister
                             : ncp::NormalMap::kMinimum;
  if (!sparse || !reduction_->kept().empty()) {
    dual_.analyze(reduction_->W());
    newton_ = std::make_unique<ProximalNewton>(dual_, laws_, proximal_);
    newton_->obey(&monitor_.work());
  }
  forming_ = forming_operations(system);
  find_cost();
  step_u_ = Vector("u", to_size(system.dofs()));
  warm_r_ = Vector("r", to_size(system.rows()));
  kept_r_ = Vector("kept r", kBlock * laws_.size());
}

/// Makes the sweeps if a factorisation is expensive.
void AccurateStep::find_cost() {
  if (reductions_.is_elastic()) return;
  const auto blocks = static_cast<Index>(laws_.size());
  const double flops = dual_.factorization_flops();
  if (flops < kExpensiveFactorization) return;
  const double ratio = sweeps_per_factorization(flops, dual_.scaled().blocks(), blocks);
  num_sweeps_ = static_cast<int>(policy_.sweeps_worth * ratio);
  sweeps_ = std::make_unique<ContactGaussSeidel>(dual_.scaled(), newton_->problem().laws());
}

/// Gauss-Seidel on the present linear problem; state.r is where it ends.
void AccurateStep::sweep(State& state) {
  sweeps_->refresh();
  newton_->scaled_centre(kept_r_);
  const double operations = sweep_operations(dual_.scaled().blocks(), newton_->problem().blocks());
  for (int k = 0; k < num_sweeps_ && monitor_.work().fits(Work::kSweep, operations); ++k) {
    const WorkClock::Unit unit(monitor_.work(), Work::kSweep, operations);
    if (sweeps_->sweep(newton_->scaled_q(), kept_r_) < options_.tolerance) break;
  }
  newton_->set_scaled_centre(kept_r_);
  newton_->reactions(state.r);
}

/// There is time to form the next linear problem; there always is for the first one.
bool AccurateStep::may_linearise() const {
  return monitor_.work().fits(Work::kForm, forming_);
}

/// at_ holds the rows at u.
bool AccurateStep::linearise(StepEquations& equations, ConstVector u, ConstVector r) {
  const WorkClock::Unit unit(monitor_.work(), Work::kForm, forming_);
  const bool stiffness = options_.accurate().stiffness == GeometricStiffness::kExact ||
                         options_.accurate().stiffness == GeometricStiffness::kFull;
  if (keeps_factor_) {
    reductions_.elastic().linearise_values(equations.system(), at_, u, r);
  } else {
    if (!reduction_->linearise(equations, at_, u, r, stiffness)) return false;
    if (reductions_.is_elastic()) ++linearisations_;
  }
  if (!has_unknowns()) return true;
  dual_.set_values(reduction_->W(), true);
  newton_->update(reduction_->q());
  return true;
}

/// u = u0 + base + push(r); step_u_ = u - u0 before it is rounded to u.
void AccurateStep::velocity(State& state) {
  reduction_->gather(state.r, kept_r_);
  reduction_->push(kept_r_, step_u_);
  axpby(1.0, reduction_->base(), 1.0, step_u_);
  copy(reduction_->origin(), state.u);
  axpby(1.0, step_u_, 1.0, state.u);
}

/// Evaluates the rows at state.u and keeps the best iterate. Returns true if the step is solved.
bool AccurateStep::measure(StepEquations& equations, State& state) {
  error_ = reduction_->evaluate(equations, at_, step_u_, state);
  smallest_ = std::min(smallest_, error_.total);
  best_.offer(state, error_);
  return error_.relative <= options_.tolerance;
}

void AccurateStep::record(const ProximalStep& step, NewtonResult& result) {
  NewtonIteration entry;
  entry.error = error_;
  entry.step_length = step.outcome == StepOutcome::kRejected ? 0.0 : 1.0;
  entry.alpha = step.alpha;
  entry.factorizations = step.newton_steps;
  entry.linear_iterations = step.linear_iterations;
  if (has_unknowns() && !newton_->history().empty()) {
    entry.linear_status = newton_->history().back().linear_status;
    entry.linear_residual = newton_->history().back().linear_residual;
  }
  monitor_.record(entry);
  result.linear_iterations += step.linear_iterations;
}

/// Factorisations of this attempt.
int AccurateStep::spent() const {
  return linearisations_ + (has_unknowns() ? newton_->factorizations() : 0);
}

/// Factorisations of W that this many linearisations may take. A system of the few rows that stay is
/// cheap next to a sparse H: each of those may have a proximal step with all its Newton steps.
int AccurateStep::small_systems(int budget) const {
  return reductions_.is_elastic() ? proximal_.schedule.max_inner * budget : budget;
}

bool AccurateStep::exhausted(int budget, int linearisations) const {
  return linearisations >= budget ||
         (has_unknowns() && newton_->factorizations() >= small_systems(budget));
}

bool AccurateStep::may_go_on(const Attempt& attempt, int linearisations) const {
  const int overtime = (overtime_.factor - 1) * options_.max_iterations;
  const int more = best_.error().total > overtime_.error ? overtime : 0;
  return !exhausted(attempt.budget + more, linearisations);
}

/// One proximal step, or none if no row stays.
ProximalStep AccurateStep::advance(State& state) {
  ProximalStep step;
  step.outcome = StepOutcome::kAccepted;
  if (!has_unknowns()) return step;
  step = newton_->step();
  if (step.outcome == StepOutcome::kBudget || step.outcome == StepOutcome::kRejected) return step;
  newton_->reactions(kept_r_);
  reduction_->scatter(kept_r_, state.r);
  return step;
}

/// Linearises at the start and takes the first guess. Returns false for numbers that are not finite.
bool AccurateStep::start(StepEquations& equations, State& state, const Attempt& attempt) {
  const System& system = equations.system();
  const bool sparse = reductions_.is_elastic();
  copy(system.u_start, state.u);
  copy(warm_r_, state.r);
  if (!attempt.warm) fill(state.r, 0.0);
  linearisations_ = 0;
  keeps_factor_ = false;
  at_.evaluate(equations, state.u);
  if (sparse) error_ = at_.error(system, state.u, state.r);
  if (!linearise(equations, state.u, state.r)) return false;
  if (has_unknowns()) {
    const int overtime = (overtime_.factor - 1) * options_.max_iterations;
    reduction_->gather(state.r, kept_r_);
    newton_->start(kept_r_, attempt.warm ? proximal_.alpha_warm : proximal_.alpha_cold);
    newton_->set_budget(small_systems(attempt.budget + overtime));
  }
  if (attempt.sweeps) sweep(state);
  return true;
}

/// Counts steps in a row that gain nothing: no factorisation was needed, or, of elastic rows, the
/// error did not fall.
bool AccurateStep::idles_too_long(const ProximalStep& step, bool cheap, double error_before,
                                  Progress& progress) const {
  const bool rejected = step.outcome == StepOutcome::kRejected;
  const bool gained = reductions_.is_elastic() && error_.total < error_before;
  const bool idles = rejected || !reductions_.is_elastic() ? cheap : !gained;
  progress.idle = idles ? progress.idle + 1 : 0;
  return progress.idle > policy_.patience;
}

/// Proximal steps until solved or the attempt's factorisations are spent.
NewtonStatus AccurateStep::iterate(StepEquations& equations, State& state, const Attempt& attempt,
                                   NewtonResult& result) {
  Progress progress{.before = result.iterations};
  if (!start(equations, state, attempt)) return NewtonStatus::kNonFinite;
  // A guess may be exact already; of soft bodies it rarely is.
  if (has_unknowns() && !reductions_.is_elastic()) {
    velocity(state);
    if (measure(equations, state)) {
      result.iterations = progress.before + spent();
      return NewtonStatus::kConverged;
    }
    if (!std::isfinite(error_.total)) copy(reduction_->origin(), state.u);
  }
  progress.halved = smallest_;
  progress.halved_at = spent();
  while (may_go_on(attempt, linearisations_ - 1)) {  // from the last linearisation too
    if (monitor_.out_of_time()) return NewtonStatus::kCancelled;
    const int before = spent();
    const double error_before = error_.total;
    const ProximalStep step = advance(state);
    const bool cheap = has_unknowns() && spent() == before;
    result.iterations = progress.before + spent();
    if (step.outcome == StepOutcome::kBudget) {
      if (!newton_->may_factorise()) return NewtonStatus::kCancelled;
      break;
    }
    if (step.outcome == StepOutcome::kRejected) {
      record(step, result);
      if (idles_too_long(step, cheap, error_before, progress)) return NewtonStatus::kLinearFailure;
      continue;
    }
    velocity(state);
    const bool solved = measure(equations, state);
    record(step, result);
    if (solved) return NewtonStatus::kConverged;
    if (idles_too_long(step, cheap, error_before, progress)) return NewtonStatus::kStalled;
    if (smallest_ < 0.5 * progress.halved) {
      progress.halved = smallest_;
      progress.halved_at = spent();
    }
    if (best_.error().total <= policy_.fine && spent() > progress.halved_at + policy_.patience)
      return NewtonStatus::kConverged;
    if (attempt.fully && step.outcome != StepOutcome::kSolved) continue;
    keeps_factor_ =
        reductions_.is_elastic() && !keeps_factor_ && error_.relative <= policy_.hardly_moved;
    if (!keeps_factor_ && !may_go_on(attempt, linearisations_)) break;
    if (!may_linearise()) return NewtonStatus::kCancelled;
    if (!linearise(equations, state.u, state.r)) return NewtonStatus::kLinearFailure;
    result.iterations = progress.before + spent();
  }
  return NewtonStatus::kBudgetReached;
}

NewtonResult AccurateStep::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  dual_.observe(monitor_.observed() ? [this](const LinearOperator& S,
                                             ConstVector b) { show(monitor_, *reduction_, S, b); }
                                    : DualSystem::Observer{});
  fit(system);
  if (!warm) fill(state.r, 0.0);
  NewtonResult result;
  best_.reset(system);
  copy(state.r, warm_r_);
  const bool expensive = sweeps_ != nullptr;
  const bool rigid = !reductions_.is_elastic();
  const int all = options_.max_iterations;
  const int restart = options_.accurate().restart_after;
  // A warm start can lie on the wrong side of every cone (a body that has just stopped): soon cold.
  const Attempt attempts[] = {{warm, warm ? restart / 2 : restart, false, expensive},
                              {false, warm && !expensive ? restart : 0},
                              {rigid ? false : warm, all, rigid, expensive}};
  for (Attempt attempt : attempts) {
    attempt.budget = std::min(attempt.budget, all - result.iterations);
    if (attempt.budget <= 0) continue;
    result.restarted = result.iterations > 0;
    smallest_ = std::numeric_limits<double>::infinity();
    result.status = iterate(equations, state, attempt, result);
    if (result.status != NewtonStatus::kCancelled && best_.error().total <= policy_.fine)
      result.status = NewtonStatus::kConverged;
    if (result.status == NewtonStatus::kConverged || result.status == NewtonStatus::kCancelled)
      break;
    if (!may_linearise()) {
      result.status = NewtonStatus::kCancelled;
      break;
    }
  }
  best_.restore(state);
  result.error = best_.error();
  result.linear_solver = std::string(dual_.solver().name());
  result.form = reductions_.form();
  if (!std::isfinite(best_.error().total)) result.status = NewtonStatus::kNonFinite;
  const bool unsolved = !result.converged() && result.status < NewtonStatus::kNonFinite;
  if (unsolved && has_unknowns()) certify(result);
  return result;
}

/// Is there a solution at all, of the rows as linearised last?
void AccurateStep::certify(NewtonResult& result) const {
  const NoSolution found =
      find_no_solution(dual_.scaled(), newton_->scaled_q(), newton_->problem().laws(), *normals_,
                       {}, [this] { return monitor_.out_of_time(); });
  if (!found.certified) return;
  result.no_solution = found.need;
  const double largest = norm_max(found.z);
  for (Index i = 0; i < size_of(found.z); ++i) {
    if (found.z(i) >= kSqueezed * largest)
      result.squeezed.push_back(reduction_->kept()[to_size(i)]);
  }
}

}  // namespace nsn
