/// The Newton driver: solves one step of one island (core/step/system.h) by the method the options
/// name.
///
///   NewtonSolver newton(options, registry);
///   State state = ...;                               // starting impulses; u is filled in
///   NewtonResult result = newton.solve(equations, state, warm);
///   if (!result.converged()) {
///     fmt::print("{}: {} m/s\n", to_string(result.status), result.error.total);
///   }
///
/// One iteration is a sequence of stages. DeviceStep names its functions by them; the other methods
/// do the same work under names of their own (docs/architecture.md):
///   evaluate   rows and Jacobian at the present velocity
///   scale      NCP functions and friction law: what each row block asks for
///   linearise  geometric stiffness, Delassus operator, Newton matrix
///   solve      the linear system
///   update     step length, new velocity and impulses
///   measure    errors (core/step/step_error.h), best iterate
///
/// The solver keeps its memory from step to step: if the pattern of the rows does not change, a
/// step allocates nothing. Two solvers may work on two threads.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

class NewtonSolver {
 public:
  /// Throws std::invalid_argument for options out of range and unknown linear solvers.
  NewtonSolver(const NewtonOptions& options, const SolverRegistry& registry);

  const NewtonOptions& options() const { return options_; }
  /// u and r are always finite on return: if nothing better is known, r = 0 and u = u_free.
  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm);
  /// Several islands of one step, on a device in as few launches as it can (StepMethod::solve_all).
  void solve_all(std::span<IslandStep> islands);
  /// Iterations of the last solve.
  const std::vector<NewtonIteration>& history() const { return monitor_->history(); }
  /// Sees every Newton matrix before it is solved.
  void observe(NewtonObserver observer) { monitor_->observe(std::move(observer)); }
  /// Islands of such a step may take turns with one solver: the same answer.
  bool shareable(const System& system) const { return method_->shareable(system); }

 private:
  NewtonOptions options_;
  /// Replaces what is not finite, and says what became of the promise.
  void settle(const System& system, State& state, NewtonResult& result) const;
  Promise judge(const System& system, NewtonResult& result) const;

  std::unique_ptr<StepMonitor> monitor_;
  std::unique_ptr<StepMethod> method_;
};

}  // namespace nsn
