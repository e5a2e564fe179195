// The bare solver allocates while it analyses, never while it iterates.
#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/problems/condensation.h"
#include "nsn/core/problems/friction_blocks.h"
#include "nsn/core/problems/primal_system.h"
#include "nsn/models/problems/random_friction_problem.h"
#include "tests/support/count_allocations.h"

namespace nsn {
namespace {

using testing_support::allocations;

/// A solve that runs from zero a second time, everything being analysed.
long allocations_of_second_run(ProximalNewton& newton, ConstVector zero, bool& solved) {
  newton.start(zero, newton.options().alpha_cold);
  static_cast<void>(newton.run());
  newton.start(zero, newton.options().alpha_cold);
  const long before = allocations();
  solved = newton.run().solved;
  return allocations() - before;
}

TEST(BareSolver, OverContactsAllocatesNothingAfterTheAnalysis) {
  const RandomFrictionProblem random = random_friction_problem(12);
  const FrictionBlocks blocks = to_friction_blocks(random.problem);
  DualSystem system(standard_backends().make("contact-lu"));
  system.analyze(blocks.W);
  system.set_values(blocks.W, blocks.symmetric);
  ProximalNewton newton(system, blocks.laws);
  newton.update(blocks.q);

  bool solved = false;
  const long count =
      allocations_of_second_run(newton, zero_vector(newton.problem().rows()), solved);

  EXPECT_TRUE(solved);
  EXPECT_GT(newton.factorizations(), 3);
  EXPECT_EQ(count, 0);
}

/// Nodes of three degrees of freedom, two contacts with the ground on each.
GlobalFrictionProblem nodes_on_the_ground() {
  constexpr Index kNodes = 20;
  GlobalFrictionProblem problem;
  std::vector<Triplet> M;
  std::vector<Triplet> H;
  for (Index i = 0; i < 3 * kNodes; ++i) M.push_back({i, i, 1.0 + 0.1 * static_cast<double>(i)});
  for (Index c = 0; c < 2 * kNodes; ++c) {
    for (Index k = 0; k < 3; ++k) {
      H.push_back({3 * (c / 2) + k, 3 * c + k, 1.0});
      H.push_back({3 * (c / 2) + k, 3 * c + (k + 1) % 3, c % 2 == 0 ? 0.3 : -0.2});
    }
  }
  problem.M = csr_from_triplets(3 * kNodes, 3 * kNodes, M);
  problem.H = csr_from_triplets(3 * kNodes, 6 * kNodes, H);
  problem.f = zero_vector(3 * kNodes);
  for (Index i = 0; i < 3 * kNodes; ++i) problem.f(i) = i % 3 == 0 ? -1.0 : 0.4;
  problem.w = zero_vector(6 * kNodes);
  problem.mu = zero_vector(2 * kNodes);
  for (Index c = 0; c < 2 * kNodes; ++c) problem.mu(c) = 0.3;
  return problem;
}

TEST(BareSolver, OverDegreesOfFreedomAllocatesNothingAfterTheAnalysis) {
  const GlobalFrictionProblem problem = nodes_on_the_ground();
  const Csr Ht = contact_jacobian(problem);
  MassMatrix mass(problem.M, standard_backends(), "contact-lu");
  PrimalSystem system(problem, Ht, mass, standard_backends().make("contact-lu"));
  const Index n = problem.contacts();
  ProximalNewton newton(system, contact_laws({problem.mu.data(), problem.mu.extent(0)}));
  const Vector q = zero_vector(3 * n);
  ASSERT_TRUE(free_velocity(problem, Ht, mass, q));
  newton.update(q);

  bool solved = false;
  const long count = allocations_of_second_run(newton, zero_vector(3 * n), solved);

  EXPECT_TRUE(solved);
  EXPECT_GT(newton.factorizations(), 1);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace nsn
