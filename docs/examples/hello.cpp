// Solves a linear system with a solver chosen by name.
#include <cstdio>

#include "backends/standard_backends.h"
#include "core/csr.h"
#include "core/runtime.h"

int main() {
  const nsn::Runtime runtime;
  // [ 2 -1 ] [x0]   [1]
  // [-1  2 ] [x1] = [0]
  const nsn::CsrOperator op(nsn::csr_from_triplets(
      2, 2, std::vector<nsn::Triplet>{{0, 0, 2.0}, {0, 1, -1.0}, {1, 0, -1.0}, {1, 1, 2.0}}));
  const nsn::Vector b("b", 2);
  const nsn::Vector x("x", 2);
  b(0) = 1.0;

  const auto solver = nsn::standard_backends().make("pcr:precond=jacobi");
  solver->prepare(op);
  const nsn::LinearReport report = solver->solve(b, x, {.rtol = 1e-12});

  std::printf("%s after %d iterations: x = (%.6f, %.6f)\n",
              std::string(nsn::to_string(report.status)).c_str(), report.iterations, x(0), x(1));
  return report.ok() ? 0 : 1;
}
