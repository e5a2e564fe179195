// Certificates of problems without a solution, checked by a formula of their own; none for problems
// that were made with one.
#include "nsn/core/contact/no_solution.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/scaled_problem.h"
#include "nsn/core/problems/friction_blocks.h"
#include "nsn/models/problems/random_friction_problem.h"

namespace nsn {
namespace {

NoSolution certificate_of(const FrictionProblem& problem) {
  const SolverRegistry registry = standard_backends();
  const FrictionBlocks blocks = to_friction_blocks(problem);
  const auto solver = registry.make("contact-lu");
  DualSystem system(registry.make("contact-lu"));
  system.analyze(blocks.W);
  system.set_values(blocks.W, blocks.symmetric);
  ScaledProblem scaled(system);
  scaled.refit(blocks.laws);
  scaled.rescale();
  scaled.set_q(blocks.q);
  const NoSolution found = find_no_solution(system.scaled(), scaled.q(), blocks.laws, *solver);
  EXPECT_LE(found.factorizations, NoSolutionOptions{}.max_factorizations);
  if (found.certified) {
    // As naive as it can be, on the data as given: z is an impulse of s z on the normals.
    double qz = 0.0;
    double zWz = 0.0;
    double qq = 0.0;
    for (Index i = 0; i < problem.contacts(); ++i) {
      EXPECT_GE(found.z(i), 0.0);
      qz += problem.q(3 * i) * scaled.s()(3 * i) * found.z(i);
      qq += std::pow(problem.q(3 * i) * scaled.s()(3 * i), 2);
      for (Index k = problem.W.row_begin(3 * i); k < problem.W.row_begin(3 * i + 1); ++k) {
        const Index j = problem.W.column(k);
        if (j % 3 == 0) {
          zWz +=
              scaled.s()(3 * i) * found.z(i) * problem.W.value(k) * scaled.s()(j) * found.z(j / 3);
        }
      }
    }
    EXPECT_LT(qz, 0.0);
    EXPECT_GE(-qz / std::sqrt(qq * std::max(zWz, 1e-16)), 0.99 * found.need);
  }
  return found;
}

/// A row of balls of 1 kg between two walls, which come in by `closing` m/s each: n balls, n + 1 contacts.
FrictionProblem squeezed(int balls, double closing, double mu) {
  const Index contacts = balls + 1;
  std::vector<Triplet> triplets;
  for (Index i = 0; i < contacts; ++i) {
    const bool wall = i == 0 || i == contacts - 1;
    for (Index k = 0; k < 3; ++k) triplets.push_back({3 * i + k, 3 * i + k, wall ? 1.0 : 2.0});
    if (i + 1 == contacts) continue;
    for (Index k = 0; k < 3; ++k) {  // the ball between contacts i and i + 1
      triplets.push_back({3 * i + k, 3 * i + 3 + k, -1.0});
      triplets.push_back({3 * i + 3 + k, 3 * i + k, -1.0});
    }
  }
  FrictionProblem out;
  out.W = csr_from_triplets(3 * contacts, 3 * contacts, triplets);
  out.q = zero_vector(3 * contacts);
  out.q(0) = out.q(3 * contacts - 3) = -closing;
  for (Index i = 0; i < contacts; ++i) out.q(3 * i + 1) = 0.1 * static_cast<double>(i % 3);
  out.mu = zero_vector(contacts);
  for (Index i = 0; i < contacts; ++i) out.mu(i) = mu;
  return out;
}

TEST(NoSolution, BallsBetweenWallsThatCloseIn) {
  for (const int balls : {1, 2, 7, 40}) {
    for (const double mu : {0.0, 0.5, 3.0}) {
      const NoSolution found = certificate_of(squeezed(balls, 1.0, mu));
      EXPECT_TRUE(found.certified) << balls << " balls, mu " << mu << ", need " << found.need;
    }
  }
}

TEST(NoSolution, WallsThatOpenExcludeNothing) {
  for (const int balls : {1, 2, 7, 40}) {
    EXPECT_FALSE(certificate_of(squeezed(balls, -1.0, 0.5)).certified) << balls;
  }
}

TEST(NoSolution, WallsThatStandExcludeNothing) {
  EXPECT_FALSE(certificate_of(squeezed(7, 0.0, 0.5)).certified);
}

TEST(NoSolution, NoneOfProblemsThatWereMadeWithASolution) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomFrictionProblem made = random_friction_problem(seed, {.max_contacts = 60});
    const NoSolution found = certificate_of(made.problem);
    EXPECT_FALSE(found.certified) << "seed " << seed << ", need " << found.need;
  }
}

TEST(NoSolution, AnImpulseThatIsNoneNeedsNothing) {
  const FrictionBlocks blocks = to_friction_blocks(squeezed(2, 1.0, 0.5));
  const Vector z = zero_vector(3);
  EXPECT_EQ(velocity_needed(blocks.W, blocks.q, z), 0.0);
  z(0) = z(2) = 1.0;
  z(1) = -1.0;
  EXPECT_EQ(velocity_needed(blocks.W, blocks.q, z), 0.0);
}

/// A light body between the ground and a heavy one that falls on it: a huge impulse is no proof.
TEST(NoSolution, IsNotSaidOfWideMassRatios) {
  for (const double ratio : {1e3, 1e6, 1e9, 1e12}) {
    FrictionProblem problem;
    std::vector<Triplet> triplets;
    for (Index k = 0; k < 3; ++k) {
      triplets.push_back({k, k, 1.0});
      triplets.push_back({k, 3 + k, -1.0});
      triplets.push_back({3 + k, k, -1.0});
      triplets.push_back({3 + k, 3 + k, 1.0 + 1.0 / ratio});
    }
    problem.W = csr_from_triplets(6, 6, triplets);
    problem.q = zero_vector(6);
    problem.q(3) = -0.1;
    problem.mu = zero_vector(2);
    EXPECT_FALSE(certificate_of(problem).certified) << ratio;
  }
}

/// z . W z = 0 for z = (1, 1), but W z is not zero, W being indefinite: what pushes on the normals slides, no proof.
TEST(NoSolution, IsNotSaidOfIndefiniteMatrices) {
  FrictionProblem problem;
  const std::vector<Triplet> triplets = {{0, 0, 1.0}, {0, 1, 0.5}, {0, 3, -1.0}, {1, 0, 0.5},
                                         {1, 1, 1.0}, {2, 2, 1.0}, {3, 0, -1.0}, {3, 3, 1.0},
                                         {4, 4, 1.0}, {5, 5, 1.0}};
  problem.W = csr_from_triplets(6, 6, triplets);
  problem.q = zero_vector(6);
  problem.q(0) = problem.q(3) = -1.0;
  problem.mu = zero_vector(2);
  EXPECT_FALSE(certificate_of(problem).certified);
}

}  // namespace
}  // namespace nsn
