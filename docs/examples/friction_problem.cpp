// A frictional-contact problem without any model: one contact, u = W r + q.
#include <cstdio>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/problems/friction_solver.h"

int main() {
  const nsn::Runtime runtime;
  // Mass 1, friction 0.5, falling at 1 m/s and sliding at 2 m/s: normal component first.
  nsn::FrictionProblem problem;
  problem.W = nsn::csr_from_triplets(
      3, 3, std::vector<nsn::Triplet>{{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}});
  problem.q = nsn::Vector("q", 3);
  problem.mu = nsn::Vector("mu", 1);
  problem.q(0) = -1.0;
  problem.q(1) = 2.0;
  problem.mu(0) = 0.5;

  nsn::FrictionSolver solver({}, nsn::standard_backends());
  const nsn::FrictionResult result = solver.solve(problem);
  std::printf("r = (%.3f, %.3f, %.3f) kg m/s\n", result.r(0), result.r(1), result.r(2));
  return result.solved() ? 0 : 1;
}
