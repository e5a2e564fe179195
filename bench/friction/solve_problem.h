/// Reads a friction problem and solves it: the work behind `nsn solve` and `nsn compare`.
#pragma once

#include <string>
#include <vector>

#include "bench/friction/friction_outcome.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn::bench {

/// A problem in memory, or the reason why it is not.
struct LoadedProblem {
  FrictionFile file;
  FrictionOutcome outcome;  ///< what is known before solving: sizes, rank, or refusal
  bool usable() const { return outcome.refusal.empty(); }
};

/// FCLIB containers are opened in a child process. An unusable file is a refusal, not an exception.
LoadedProblem load_problem(const ProblemSource& source, FrictionFormat format);

/// A method by name: one of friction_method_names(), or of an LCP ("newton", "lemke", "enumerate").
/// "auto" and "proximal-newton" serve both kinds of problem.
struct SolveSettings {
  std::string method = "auto";
  FrictionSolverOptions options;  ///< its method is ignored
  int repeats = 1;                ///< the least time counts
};

std::vector<std::string> method_names();
/// Throws std::invalid_argument naming what is wrong: a method, a linear solver, a value.
void check(const SolveSettings& settings, const SolverRegistry& registry);

/// Solves from a zero guess. Errors are formed again from r, and `solved` follows from them alone.
/// A method that does not fit the kind of problem is a refusal.
FrictionOutcome solve_problem(const LoadedProblem& problem, const SolveSettings& settings,
                              const SolverRegistry& registry);

}  // namespace nsn::bench
