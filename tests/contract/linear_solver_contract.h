/// What every linear solver must do, as a library without a test framework: for our own backends
/// and for one written elsewhere.
///
///   nsn::SolverRegistry registry = nsn::standard_backends();
///   registry.add(my_backend());
///   for (const auto& failure : nsn::contract::run_linear_solver_contract(registry, "mine")) {
///     fmt::print("{}: {}\n", failure.case_name, failure.text);
///   }
///
/// Each case makes its own small systems and solvers. What may come out depends on what a solver
/// says of itself (Capabilities): a case lists the statuses that are allowed per capability, and
/// whatever the status, some things hold always:
///
///   * no NaN or infinity leaves in x,
///   * true_residual is the residual (recomputed here from the entries), rhs_norm the norm of b,
///   * an answer called converged meets the tolerance it names,
///   * a direct solver reports 0 iterations, an iterative one no more than it was allowed,
///   * a failure explains itself in detail,
///   * times are not negative, bytes_held is positive, and so is bytes_moved where work was done.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/linear/solver_registry.h"

namespace nsn::contract {

/// One situation a solver is put into.
struct ContractCase {
  std::string name;     ///< e.g. "singular-consistent"
  std::string summary;  ///< one line
};

/// One expectation that was not met.
struct ContractFailure {
  std::string case_name;
  std::string solver;  ///< the spec it was made from
  std::string text;    ///< what was expected and what came
};

/// All cases, in the order in which they are run.
std::vector<ContractCase> linear_solver_contract_cases();

/// One case for the solver that registry.make(spec) gives. Empty: it passed. An exception from the
/// solver that the case does not provoke is a failure. Throws std::invalid_argument for an unknown
/// case and for a spec that the registry refuses. Needs a running Kokkos (core/base/runtime.h).
std::vector<ContractFailure> run_linear_solver_case(const SolverRegistry& registry,
                                                    std::string_view spec,
                                                    std::string_view case_name);

/// All cases.
std::vector<ContractFailure> run_linear_solver_contract(const SolverRegistry& registry,
                                                        std::string_view spec);

}  // namespace nsn::contract
