/// Reads a friction problem and solves it: the work behind `nsn solve` and `nsn compare`.
#pragma once

#include <string>

#include "bench/friction/friction_outcome.h"
#include "core/friction_solver.h"
#include "core/io/friction_file.h"
#include "core/solver_registry.h"

namespace nsn::bench {

/// A problem in memory, or the reason why it is not.
struct LoadedProblem {
  FrictionFile file;
  FrictionOutcome outcome;  ///< what is known before solving: sizes, rank, or refusal
  bool usable() const { return outcome.refusal.empty(); }
};

/// FCLIB containers are opened in a child process. An unusable file is a refusal, not an exception.
LoadedProblem load_problem(const ProblemSource& source, FrictionFormat format);

/// Solves from a zero guess `repeats` times; the least time counts. Errors are formed afresh from
/// r, and `solved` follows from them alone.
FrictionOutcome solve_problem(const LoadedProblem& problem, const FrictionSolverOptions& options,
                              const SolverRegistry& registry, int repeats);

}  // namespace nsn::bench
