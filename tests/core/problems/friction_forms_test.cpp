// Global problems through K = M + H S H^T and through W: one solution, two ways. And (W + rho I)
// through the rank that contacts of one pair of bodies share.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/low_rank_shift.h"
#include "nsn/core/problems/condensation.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn {
namespace {

enum class Mass { kDiagonal, kBodies, kElements, kUnsymmetric };

struct Shape {
  Index dimension;
  Index nodes;  // of `dimension` degrees of freedom each
  Index contacts_per_node;
  Mass mass;
};

/// A row of nodes that fall on each other and on the ground: contacts push node k against k - 1.
GlobalFrictionProblem row_of_nodes(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const Index d = shape.dimension;
  const Index dofs = d * shape.nodes;
  const Index contacts = shape.nodes * shape.contacts_per_node;
  GlobalFrictionProblem problem;
  problem.dimension = d;
  std::vector<Triplet> M;
  for (Index i = 0; i < dofs; ++i) {
    M.push_back({i, i, 4.0 + static_cast<double>(i % 3)});
    if (shape.mass == Mass::kBodies && i % d != 0) {
      M.push_back({i, i - 1, 0.5});
      M.push_back({i - 1, i, 0.5});
    }
    if (i >= d && (shape.mass == Mass::kElements || shape.mass == Mass::kUnsymmetric)) {
      M.push_back({i, i - d, -1.5});
      M.push_back({i - d, i, shape.mass == Mass::kElements ? -1.5 : -1.4});
    }
  }
  problem.M = csr_from_triplets(dofs, dofs, M);
  std::vector<Triplet> H;
  for (Index c = 0; c < contacts; ++c) {
    const Index node = c / shape.contacts_per_node;
    for (Index r = 0; r < d; ++r) {
      for (Index k = 0; k < d; ++k) {
        const double value = (r == k ? 1.0 : 0.0) + 0.2 * normal(random);
        H.push_back({d * node + k, d * c + r, value});
        if (node > 0) H.push_back({d * (node - 1) + k, d * c + r, -value});
      }
    }
  }
  problem.H = csr_from_triplets(dofs, d * contacts, H);
  problem.f = zero_vector(dofs);
  for (Index i = 0; i < dofs; ++i) problem.f(i) = (i % d == 0 ? -1.0 : 0.3) + 0.1 * normal(random);
  problem.w = zero_vector(d * contacts);
  problem.mu = zero_vector(contacts);
  for (Index c = 0; c < contacts; ++c) problem.mu(c) = 0.4;
  return problem;
}

FrictionResult solve_in(const GlobalFrictionProblem& problem, FrictionForm form) {
  FrictionSolverOptions options;
  options.form = form;
  options.tolerance = 1e-10;
  return FrictionSolver(options, standard_backends()).solve(problem);
}

class GlobalForms : public ::testing::TestWithParam<Shape> {};

TEST_P(GlobalForms, AgreeOnVelocities) {
  const GlobalFrictionProblem problem = row_of_nodes(GetParam(), 5);

  const FrictionResult dual = solve_in(problem, FrictionForm::kDual);
  const FrictionResult primal = solve_in(problem, FrictionForm::kPrimal);

  ASSERT_TRUE(dual.solved());
  ASSERT_TRUE(primal.solved());
  EXPECT_EQ(dual.stages.front().name, "dual");
  EXPECT_EQ(primal.stages.front().name, "primal");
  // Both stop at 1e-10 of velocities below 10; W turns errors of r into errors of u at most 1e2
  // times as large here.
  for (Index k = 0; k < problem.dofs(); ++k) EXPECT_NEAR(dual.v(k), primal.v(k), 1e-7) << k;
}

INSTANTIATE_TEST_SUITE_P(
    Masses, GlobalForms,
    ::testing::Values(Shape{3, 6, 1, Mass::kDiagonal}, Shape{3, 4, 5, Mass::kDiagonal},
                      Shape{3, 4, 5, Mass::kBodies}, Shape{3, 8, 1, Mass::kElements},
                      Shape{3, 8, 1, Mass::kUnsymmetric}, Shape{2, 6, 1, Mass::kDiagonal},
                      Shape{2, 5, 3, Mass::kElements}));

TEST(GlobalForms, ManyContactsOnFewBodiesAreSolvedOverTheBodies) {
  const FrictionResult result =
      solve_in(row_of_nodes({3, 40, 12, Mass::kDiagonal}, 7), FrictionForm::kAuto);

  EXPECT_TRUE(result.solved());
  EXPECT_EQ(result.stages.front().name, "primal") << result.stages.front().reason;
}

TEST(GlobalForms, FewContactsOnManyBodiesAreSolvedOverTheContacts) {
  const FrictionResult result =
      solve_in(row_of_nodes({3, 40, 1, Mass::kDiagonal}, 7), FrictionForm::kAuto);

  EXPECT_TRUE(result.solved());
  EXPECT_EQ(result.stages.front().name, "dual") << result.stages.front().reason;
}

TEST(GlobalForms, GaussSeidelHasNoPrimalForm) {
  FrictionSolverOptions options;
  options.form = FrictionForm::kPrimal;
  options.method = FrictionMethod::kGaussSeidel;
  const GlobalFrictionProblem problem = row_of_nodes({3, 3, 1, Mass::kDiagonal}, 1);

  EXPECT_THROW(static_cast<void>(FrictionSolver(options, standard_backends()).solve(problem)),
               std::invalid_argument);
}

/// W of five contacts between each pair of neighbours in a row of point masses: rank 3 of 15.
FrictionBlocks stack_of_pairs() {
  const GlobalFrictionProblem problem = row_of_nodes({3, 6, 5, Mass::kDiagonal}, 11);
  const Csr Ht = contact_jacobian(problem);
  MassMatrix mass(problem.M, standard_backends(), "contact-lu");
  return condense(problem, Ht, mass);
}

TEST(LowRankShift, KeepsTheRankOfEachPair) {
  const FrictionBlocks blocks = stack_of_pairs();

  EXPECT_NEAR(LowRankShift(blocks.W).share(), 3.0 / 15.0, 1e-12);
}

TEST(LowRankShift, SolvesTheShiftedSystem) {
  const FrictionBlocks blocks = stack_of_pairs();
  DualSystem system(standard_backends().make("contact-lu"));
  system.analyze(blocks.W);
  system.set_values(blocks.W, true);
  const Vector s = zero_vector(blocks.W.scalar_rows());
  std::fill_n(s.data(), s.extent(0), 1.0);
  system.scale(s);
  const double rho = 1e-2;

  ASSERT_TRUE(system.prepare_shifted(rho));
  const Vector x = zero_vector(blocks.W.scalar_rows());
  const NewtonSolve solve = system.solve_shifted(blocks.q, x);

  ASSERT_TRUE(solve.ok);
  const Vector y = zero_vector(blocks.W.scalar_rows());
  multiply(blocks.W, x, y);
  axpby(rho, x, 1.0, y);
  // x is of the size q / rho and |W| about 1: rounding is 1e-16 * 1e2 * |q|.
  EXPECT_LE(residual_norm(blocks.q, y, y), 1e-11 * norm2(blocks.q));
}

TEST(LowRankShift, FullRankIsLeftToTheUsualWay) {
  const GlobalFrictionProblem problem = row_of_nodes({3, 6, 1, Mass::kDiagonal}, 11);
  const Csr Ht = contact_jacobian(problem);
  MassMatrix mass(problem.M, standard_backends(), "contact-lu");
  const FrictionBlocks blocks = condense(problem, Ht, mass);
  DualSystem system(standard_backends().make("contact-lu"));
  system.analyze(blocks.W);
  system.set_values(blocks.W, true);
  const Vector s = zero_vector(blocks.W.scalar_rows());
  std::fill_n(s.data(), s.extent(0), 1.0);
  system.scale(s);

  EXPECT_FALSE(system.prepare_shifted(1e-2));
}

}  // namespace
}  // namespace nsn
