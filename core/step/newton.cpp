#include "nsn/core/step/newton.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/accurate_step.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/realtime_step.h"
#include "nsn/core/step/spin_arm.h"
#include "nsn/core/step/swept_step.h"

namespace nsn {
namespace {

std::unique_ptr<StepMethod> make_method(const NewtonOptions& options,
                                        const SolverRegistry& registry, StepMonitor& monitor) {
  if (std::holds_alternative<AccurateOptions>(options.method))
    return std::make_unique<AccurateStep>(options, registry, monitor);
  if (std::holds_alternative<RealtimeOptions>(options.method))
    return std::make_unique<RealtimeStep>(options, registry, monitor);
  return find_device(options.device, registry).make(options, registry, monitor);
}

/// Blocks from which it is examined how many of them share a body, and pairs of them whose blocks an
/// Index can count.
constexpr Index kMostBlocks = 10000;
constexpr double kMostPairs = 2e8;

bool forms(const System& system) {
  return pairs_of_rows(system) <= kMostPairs;
}

/// The fastest motion without impulses, m/s, spins at the radius of gyration of their body, or the
/// speed at which an overlap is to come apart.
double fastest(const System& system) {
  double speed = system.speed_scale;
  for (Index i = 0; i < system.blocks(); ++i) {
    const bool contact = system.laws[to_size(i)].is_contact();
    if (contact) speed = std::max(speed, -system.value_start(kBlock * i));
  }
  for (Index n = 0; n < system.nodes(); ++n) {
    for (Index k = kBlock * n; k < kBlock * (n + 1); ++k) {
      speed = std::max(speed, spin_arm(system, n) * std::abs(system.u_free(k)));
    }
  }
  return speed;
}

}  // namespace

NewtonSolver::NewtonSolver(const NewtonOptions& options, const SolverRegistry& registry)
    : options_(options) {
  validate(options_);
  monitor_ = std::make_unique<StepMonitor>(options_.time_budget, options_.clock, options_.cancel);
  method_ = make_method(options_, registry, *monitor_);
}

NewtonSolver::~NewtonSolver() = default;

NewtonResult NewtonSolver::solve(StepEquations& equations, State& state, bool warm) {
  monitor_->begin(deadline_);
  const System& system = equations.system();
  const bool too_large = system.blocks() > kMostBlocks && !forms(system);
  NewtonResult result = on_host() && too_large       ? sweep_alone(equations, state)
                        : monitor_->work().limited() ? solve_in_time(equations, state, warm)
                                                     : method_->solve(equations, state, warm);
  keep_energy(equations, state, result);
  settle(system, state, result);
  return result;
}

/// The method, if there is time for its matrices, after a first safe iterate and before more sweeps.
NewtonResult NewtonSolver::solve_in_time(StepEquations& equations, State& state, bool warm) {
  const WorkClock& work = monitor_->work();
  const double start = work.now();
  if (swept_ == nullptr) swept_ = std::make_unique<SweptStep>(monitor_->work());
  if (!warm) fill(state.r, 0.0);
  swept_->start(equations, state.r);
  const double safe_seconds = work.now() - start;
  NewtonResult result;
  result.status = NewtonStatus::kCancelled;
  result.error.total = kInfinity;
  const double forming = on_host() ? forming_operations(equations.system()) : 0.0;
  if (work.fits(Work::kForm, forming)) {
    result = method_->solve(equations, state, warm);
  } else {
    result.detail = fmt::format("no time to form matrices: {:.1e} operations", forming);
  }
  result.safe_seconds = safe_seconds;
  if (result.status != NewtonStatus::kCancelled) return result;
  while (swept_->error().relative > options_.tolerance && swept_->go_on(equations)) {
  }
  if (!(swept_->error().total < result.error.total)) return result;
  take_swept(equations.system(), state, result);
  return result;
}

/// Matrices of this many blocks cannot be counted, let alone formed.
NewtonResult NewtonSolver::sweep_alone(StepEquations& equations, State& state) {
  const double start = monitor_->work().now();
  if (swept_ == nullptr) swept_ = std::make_unique<SweptStep>(monitor_->work());
  swept_->start(equations, state.r);
  NewtonResult result;
  if (monitor_->work().limited()) result.safe_seconds = monitor_->work().now() - start;
  while (swept_->error().relative > options_.tolerance && swept_->go_on(equations)) {
  }
  result.status = monitor_->out_of_time() ? NewtonStatus::kCancelled : NewtonStatus::kStalled;
  result.detail = "too many contacts of one body for any matrix: sweeps alone";
  take_swept(equations.system(), state, result);
  return result;
}

void NewtonSolver::take_swept(const System& system, State& state, NewtonResult& result) const {
  swept_->restore(state);
  result.error = swept_->error();
  result.linear_solver = "sweeps";
  if (result.error.relative <= options_.tolerance) result.status = NewtonStatus::kConverged;
  if (!std::holds_alternative<RealtimeOptions>(options_.method)) return;
  result.target_error = result.error.total;
  result.target = options_.realtime().policy.worth_joints * system.speed_scale;
  if (!result.converged() && result.target_error <= result.target)
    result.status = NewtonStatus::kOnTarget;
}

/// An accurate step that was not solved may have gained energy, and one without a solution ends anywhere: the safe
/// iterate is taken then.
void NewtonSolver::keep_energy(StepEquations& equations, State& state, NewtonResult& result) {
  const bool accurate = std::holds_alternative<AccurateOptions>(options_.method);
  if (!accurate || result.converged() || equations.system().compliance_varies) return;
  if (!all_finite(state.u) || !all_finite(state.r)) return;
  if (swept_ == nullptr) swept_ = std::make_unique<SweptStep>(monitor_->work());
  const bool unsolvable = result.no_solution > 0.0;
  if (!unsolvable && !swept_->gains_energy(equations, state)) return;
  swept_->start(equations, state.r);
  while (swept_->go_on(equations)) {
  }
  take_swept(equations.system(), state, result);
  result.energy_limited = !unsolvable;
  if (!unsolvable) result.detail = "the iterate of least error gained energy: sweeps from it";
}

void NewtonSolver::solve_all(std::span<IslandStep> islands) {
  monitor_->begin(deadline_);
  method_->solve_all(islands);
  for (IslandStep& one : islands) settle(one.equations->system(), *one.state, one.result);
}

void NewtonSolver::settle(const System& system, State& state, NewtonResult& result) const {
  if (!all_finite(state.u) || !all_finite(state.r)) {
    fill(state.r, 0.0);
    copy(all_finite(system.u_free) ? system.u_free : system.u_start, state.u);
    result.status = NewtonStatus::kNonFinite;
  }
  result.promise = judge(system, result);
}

Promise NewtonSolver::judge(const System& system, NewtonResult& result) const {
  const bool realtime = std::holds_alternative<RealtimeOptions>(options_.method);
  const bool counts_iterations =
      std::holds_alternative<PaperOptions>(options_.method) && options_.tolerance == 0.0;
  if (!realtime) {
    result.target_error = result.error.total;
    result.target = counts_iterations ? fastest(system) : options_.tolerance * system.speed_scale;
  }
  const bool usable =
      result.status < NewtonStatus::kNonFinite || result.status == NewtonStatus::kCancelled;
  if (!usable || !std::isfinite(result.target_error)) return Promise::kFailed;
  const bool unsafe =
      realtime && !result.converged() && result.error.normal >= system.h * fastest(system);
  if (unsafe) return Promise::kFailed;
  const bool done = counts_iterations && result.status == NewtonStatus::kBudgetReached &&
                    result.target_error <= result.target;
  return result.converged() || done ? Promise::kReached : Promise::kMissed;
}

}  // namespace nsn
