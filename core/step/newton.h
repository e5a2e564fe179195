/// The Newton driver: solves one step of one island (core/step/system.h) by the method the options name.
///
///   NewtonSolver newton(options, registry);
///   State state = ...;                               // starting impulses; u is filled in
///   NewtonResult result = newton.solve(equations, state, warm);
///   if (!result.converged()) fmt::print("{}: {} m/s\n", to_string(result.status),
///   result.error.total);
///
/// One iteration is a sequence of stages, whatever the method:
///   evaluate   rows and Jacobian at the present velocity
///   scale      NCP functions and friction law: what each row block asks for
///   linearise  geometric stiffness, Delassus operator, Newton matrix
///   solve      the linear system
///   update     step length, new velocity and impulses
///   measure    errors (core/step/step_error.h), best iterate
///
/// The solver keeps its memory from step to step: where the pattern of the rows does not change, a
/// step allocates nothing. Two solvers may work on two threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/system.h"

namespace nsn {

enum class NewtonStatus {
  kConverged,      ///< relative error <= tolerance, or rounding reached below 1e-8 m/s
  kBudgetReached,  ///< max_iterations spent
  kStalled,        ///< no step improves the iterate
  kLinearFailure,  ///< no linear solver of the chain gave an answer
  kNonFinite,      ///< the equations themselves are not finite
  kCancelled,      ///< time budget spent, or the caller said stop
};
std::string_view to_string(NewtonStatus status);

/// One iteration: the state after it.
struct NewtonIteration {
  StepError error;
  double merit = 0.0;        ///< |(M^-1 g, h)|_2, m/s
  double step = 0.0;         ///< |(t du, M^-1-scaled t dr)| as max |t du|, m/s
  double step_length = 0.0;  ///< t; 1 for full-step methods, 0 for a rejected proximal step
  double alpha = 0.0;        ///< proximal parameter; 0 elsewhere
  int factorizations = 0;    ///< linear systems solved in it
  int linear_iterations = 0;
  LinearStatus linear_status = LinearStatus::kDirect;
  double linear_residual = 0.0;  ///< relative, recomputed
};

struct NewtonResult {
  NewtonStatus status = NewtonStatus::kNonFinite;
  int iterations = 0;           ///< Newton iterations, each one factorisation or Krylov solve
  int linear_iterations = 0;    ///< Krylov iterations of all of them
  StepError error;              ///< of what is returned
  bool restarted = false;       ///< accurate: the rescue was used
  bool handed_over = false;     ///< realtime: accurate finished the step
  bool energy_limited = false;  ///< realtime: impulses were shortened by the energy bound
  std::string linear_solver;    ///< the solver of the chain that answered last

  bool converged() const { return status == NewtonStatus::kConverged; }
};

/// Sees every Newton matrix before it is solved: iteration, S, right-hand side; and the rows' J,
/// H^-1 and C where they exist. For export.
struct NewtonSystemView {
  int iteration = 0;
  const BlockCsr* S = nullptr;  ///< what the linear solver gets
  ConstVector b{};
  bool symmetric = true;
  const BlockCsr* J = nullptr;  ///< unreduced rows
  ConstVector H{};              ///< 9 per node
  ConstVector C{};              ///< 9 per row block
  std::string_view form;        ///< which formulation S belongs to: compliance, stiffness, proximal
  const BlockCsr* W = nullptr;  ///< proximal: the friction problem v = W r + q it belongs to
  ConstVector q{};
};
using NewtonObserver = std::function<void(const NewtonSystemView&)>;

/// A method that solves a step; see core/step/accurate_step.h, realtime_step.h, paper_step.h.
class StepMethod {
 public:
  virtual ~StepMethod() = default;
  /// state.r: starting impulses (zeros if not warm); on return u and r of the answer.
  [[nodiscard]] virtual NewtonResult solve(StepEquations& equations, State& state, bool warm) = 0;
  virtual const std::vector<NewtonIteration>& history() const = 0;
  virtual void observe(NewtonObserver observer) = 0;
  /// What solve() returns for such a step does not depend on the steps solved before it, nor does
  /// it cost much more where they were of other islands.
  virtual bool shareable(const System&) const { return false; }
};

class NewtonSolver {
 public:
  /// Throws std::invalid_argument for options out of range and unknown linear solvers.
  NewtonSolver(const NewtonOptions& options, const SolverRegistry& registry);

  const NewtonOptions& options() const { return options_; }
  /// u and r never leave as non-finite numbers: where nothing better is known, r = 0 and u =
  /// u_free.
  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm);
  /// Iterations of the last solve.
  const std::vector<NewtonIteration>& history() const { return method_->history(); }
  void observe(NewtonObserver observer) { method_->observe(std::move(observer)); }
  /// Islands of such a step may take turns with one solver: the same answer.
  bool shareable(const System& system) const { return method_->shareable(system); }

 private:
  NewtonOptions options_;
  std::unique_ptr<StepMethod> method_;
};

}  // namespace nsn
