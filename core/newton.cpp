#include "core/newton.h"

#include "core/classic_newton.h"
#include "core/proximal_step.h"
#include "core/safeguarded_step.h"
#include "core/vector_kernels.h"

namespace nsn {
namespace {

std::unique_ptr<StepMethod> make_method(const NewtonOptions& options,
                                        const SolverRegistry& registry) {
  switch (options.friction) {
    case FrictionKind::kProximal:
      return std::make_unique<ProximalTimeStep>(options, registry);
    case FrictionKind::kSafeguarded:
      return std::make_unique<SafeguardedTimeStep>(options, registry);
    default:
      return std::make_unique<ClassicNewton>(options, registry);
  }
}

}  // namespace

std::string_view to_string(NewtonStatus status) {
  switch (status) {
    case NewtonStatus::kConverged:
      return "converged";
    case NewtonStatus::kBudgetReached:
      return "budget reached";
    case NewtonStatus::kStalled:
      return "stalled";
    case NewtonStatus::kLinearFailure:
      return "linear solver failed";
    case NewtonStatus::kNonFinite:
      return "not finite";
    case NewtonStatus::kCancelled:
      return "cancelled";
  }
  return "?";
}

NewtonSolver::NewtonSolver(const NewtonOptions& options, const SolverRegistry& registry)
    : options_(options) {
  validate(options_);
  method_ = make_method(options_, registry);
}

NewtonResult NewtonSolver::solve(StepEquations& equations, State& state, bool warm) {
  const System& system = equations.system();
  NewtonResult result = method_->solve(equations, state, warm);
  if (all_finite(state.u) && all_finite(state.r)) return result;
  fill(state.r, 0.0);
  copy(all_finite(system.u_free) ? system.u_free : system.u_start, state.u);
  result.status = NewtonStatus::kNonFinite;
  return result;
}

}  // namespace nsn
