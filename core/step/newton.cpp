#include "nsn/core/step/newton.h"

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/accurate_step.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/realtime_step.h"

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
  keep_finite(equations.system(), state, result);
  return result;
}

void NewtonSolver::solve_all(std::span<IslandStep> islands) {
  monitor_->begin();
  method_->solve_all(islands);
  for (IslandStep& one : islands) keep_finite(one.equations->system(), *one.state, one.result);
}

void NewtonSolver::keep_finite(const System& system, State& state, NewtonResult& result) {
  if (all_finite(state.u) && all_finite(state.r)) return;
  fill(state.r, 0.0);
  copy(all_finite(system.u_free) ? system.u_free : system.u_start, state.u);
  result.status = NewtonStatus::kNonFinite;
}

}  // namespace nsn
