/// A linear solver and what to fall back to, as one solver: the first of the list that answers is
/// taken.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn {

/// Makes the solvers of the list ("name:key=value,..."). One name gives that solver itself; more
/// give one that tries them in order whenever a factorisation or a solve fails; a direct answer
/// with half of the digits asked for is no failure. Its capabilities are those of the first. Throws
/// std::invalid_argument for an empty list and for unknown names.
std::unique_ptr<LinearSolver> make_linear_chain(const std::vector<std::string>& specs,
                                                const SolverRegistry& registry);

}  // namespace nsn
