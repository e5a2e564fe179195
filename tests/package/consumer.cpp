// Registers a linear solver of its own beside nsn's, holds it to nsn's contract, and solves with
// both. Robots of nsn's own come with the library, wherever it is.
#include <cstdio>

#include "nsn/linear_solver.h"
#include "nsn/robots.h"
#include "nsn/runtime.h"
#include "nsn/solver_contract.h"
#include "scaled_descent.h"

namespace {

// 8 on the diagonal, -1 beside it.
nsn::Csr chain(nsn::Index rows) {
  std::vector<nsn::Triplet> triplets;
  for (nsn::Index i = 0; i < rows; ++i) {
    triplets.push_back({i, i, 8.0});
    if (i + 1 < rows) {
      triplets.push_back({i, i + 1, -1.0});
      triplets.push_back({i + 1, i, -1.0});
    }
  }
  return nsn::csr_from_triplets(rows, rows, triplets);
}

bool keeps_the_contract(const nsn::SolverRegistry& registry, const char* spec) {
  const auto failures = nsn::contract::run_linear_solver_contract(registry, spec);
  for (const auto& failure : failures) {
    std::printf("%s: %s: %s\n", failure.solver.c_str(), failure.case_name.c_str(),
                failure.text.c_str());
  }
  std::printf("%s: %zu contract cases, %zu failures\n", spec,
              nsn::contract::linear_solver_contract_cases().size(), failures.size());
  return failures.empty();
}

bool solves(const nsn::SolverRegistry& registry, const char* spec) {
  const nsn::CsrOperator op(chain(100));
  nsn::Vector b("b", 100);
  nsn::Vector x("x", 100);
  Kokkos::deep_copy(b, 1.0);
  const auto solver = registry.make(spec);
  solver->prepare(op);
  const nsn::LinearReport report = solver->solve(b, x, {.rtol = 1e-9});
  std::printf("%s: %s after %d iterations, relative residual %.1e\n", spec,
              std::string(to_string(report.status)).c_str(), report.iterations,
              report.relative_residual());
  return report.ok();
}

bool has_own_robots() {
  if (!nsn::reads_robots()) return true;
  const nsn::RobotDescription hand = nsn::read_own_robot("hand");
  std::printf("%s: %d links\n", hand.name.c_str(), hand.num_links());
  return hand.num_links() == 21;
}

}  // namespace

int main() {
  const nsn::Runtime runtime;
  nsn::SolverRegistry registry = nsn::standard_backends();
  registry.add(scaled_descent_backend());

  bool good = keeps_the_contract(registry, "scaled-descent:patience=100");
  good = solves(registry, "scaled-descent") && good;
  good = solves(registry, "pcr:precond=block-jacobi") && good;
  for (const nsn::SolverInfo& info : registry.solvers()) {
    if (info.available()) good = solves(registry, info.name.c_str()) && good;
  }
  good = has_own_robots() && good;
  return good ? 0 : 1;
}
