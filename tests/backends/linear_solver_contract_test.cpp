// The contract suite over every backend this build has, and over variants that take other paths.
#include "nsn/tests/contract/linear_solver_contract.h"

#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"

namespace nsn {
namespace {

struct Run {
  std::string spec;
  std::string case_name;
};

// Beyond each backend with its default options.
const std::vector<std::string> kVariants = {
    "pcr:precond=none",
    "pcr:precond=block-jacobi,lift=true",
    "pcg:precond=none",
    "pcg:precond=block-jacobi",
    "gmres:precond=none",
    "gmres:precond=block-jacobi,directions=5",
    "gmres:precond=block-ilu",
    "bicgstab:precond=none",
    "bicgstab:precond=block-ilu",
    "pcg:precond=block-ilu",
    "pcr:precond=block-ilu",
    "pcr:precond=block-ilu,shift=1e-6",
    "pcg:precond=block-ilu,shift=0",
    "gauss-seidel:sweep=symmetric",
    "contact-lu:cholesky=false",
    "amg:krylov=none",
    "amg:krylov=pcg,smoother=spai0",
    "amg:smoother=ilu0,coarse_enough=4",
    "amg:smoother=gauss-seidel,coarsening=ruge-stuben,coarse_enough=4",
    "amg:smoother=damped-jacobi,coarsening=aggregation,coarse_enough=4,reuse=false",
    "amg:coarse_enough=2,cycle=2,sweeps=2",
    "amg:guard=false,coarse_enough=4",
    "pcr:precond=amg",
    "pcg:precond=amg",
    "gmres:precond=amg",
    "cholmod:method=simplicial",
    "cholmod:method=supernodal",
    "cholmod:ordering=metis",
    "cholmod:ordering=natural,refine=0",
    "cholmod:regularisation=1e-8,refine=5",
    "eigen-ldlt:ordering=natural,refine=0",
    "petsc:pc=hypre",
    "petsc:matrix=baij",
    "petsc:matrix=aij",
    "petsc:ksp=preonly,pc=cholesky,options=-pc_factor_mat_solver_type mumps",
    "petsc:pc=gamg,matrix=aij",
    "petsc:ksp=gmres,pc=ilu",
    "klu:refactor=false",
    "klu:ordering=colamd,refine=0",
};

bool has_preconditioner(const SolverRegistry& registry, std::string_view name) {
  return std::any_of(
      registry.preconditioners().begin(), registry.preconditioners().end(),
      [&](const PreconditionerInfo& p) { return p.name == name && p.reason.empty(); });
}

// Built, and with these options; asked before Kokkos runs, so no solver is made.
bool usable(const SolverRegistry& registry, const std::string& spec) {
  const NamedOptions named = parse_named_options(spec);
  const SolverInfo& info = registry.info(named.name);
  if (!info.available()) return false;
  for (const auto& [key, value] : named.assignments) {
    if (key == "precond" && !has_preconditioner(registry, value)) return false;
  }
  try {
    static_cast<void>(Options(info.options, named.assignments, info.name));
    return true;
  } catch (const std::invalid_argument&) {
    return false;  // a choice that this build leaves out
  }
}

std::vector<Run> runs() {
  const SolverRegistry registry = standard_backends();
  std::vector<std::string> specs;
  for (const SolverInfo& info : registry.solvers()) {
    if (info.available()) specs.push_back(info.name);
  }
  for (const std::string& spec : kVariants) {
    if (usable(registry, spec)) specs.push_back(spec);
  }
  std::vector<Run> result;
  for (const std::string& spec : specs) {
    for (const auto& c : contract::linear_solver_contract_cases()) result.push_back({spec, c.name});
  }
  return result;
}

class LinearSolverContract : public ::testing::TestWithParam<Run> {};

/// What PETSc's preconditioners do not do, and say so (docs/backends.md).
bool is_known_limit(const Run& run) {
  const auto among = [&](std::initializer_list<const char*> cases) {
    return std::any_of(cases.begin(), cases.end(),
                       [&](const char* name) { return run.case_name == name; });
  };
  if (run.spec == "petsc:pc=gamg,matrix=aij") {
    return among({"singular-consistent", "zero-matrix", "indefinite"});
  }
  return run.spec == "petsc:ksp=gmres,pc=ilu" &&
         among({"singular-consistent", "redundant-contacts", "zero-rows", "zero-matrix"});
}

TEST_P(LinearSolverContract, Holds) {
  if (is_known_limit(GetParam())) GTEST_SKIP() << "a limit of PETSc's preconditioner";
  const SolverRegistry registry = standard_backends();

  const auto failures =
      contract::run_linear_solver_case(registry, GetParam().spec, GetParam().case_name);

  for (const auto& failure : failures) ADD_FAILURE() << failure.solver << ": " << failure.text;
}

std::string test_name(const ::testing::TestParamInfo<Run>& run) {
  std::string name = run.param.spec + "__" + run.param.case_name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(, LinearSolverContract, ::testing::ValuesIn(runs()), test_name);

}  // namespace
}  // namespace nsn
