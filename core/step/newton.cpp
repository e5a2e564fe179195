#include "nsn/core/step/newton.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/accurate_step.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/realtime_step.h"
#include "nsn/core/step/spin_arm.h"

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

/// The fastest motion without impulses, m/s: spins count at the radius of gyration of their body.
double fastest(const System& system) {
  double speed = system.speed_scale;
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
  monitor_ = std::make_unique<StepMonitor>(options_.time_budget, options_.cancel);
  method_ = make_method(options_, registry, *monitor_);
}

NewtonResult NewtonSolver::solve(StepEquations& equations, State& state, bool warm) {
  monitor_->begin();
  NewtonResult result = method_->solve(equations, state, warm);
  settle(equations.system(), state, result);
  return result;
}

void NewtonSolver::solve_all(std::span<IslandStep> islands) {
  monitor_->begin();
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
  const bool unsafe = realtime && !result.converged() && result.target_error >= fastest(system);
  if (unsafe) return Promise::kFailed;
  const bool done = counts_iterations && result.status == NewtonStatus::kBudgetReached &&
                    result.target_error <= result.target;
  return result.converged() || done ? Promise::kReached : Promise::kMissed;
}

}  // namespace nsn
