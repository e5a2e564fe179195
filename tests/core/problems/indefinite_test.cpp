// W that no bodies have: a vector with z . W z < 0 proves it, and semidefinite ones get none.
#include "nsn/core/problems/indefinite.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/models/problems/generated_problem.h"
#include "nsn/models/problems/random_friction_problem.h"
#include "tests/support/contact_problems.h"

namespace nsn {
namespace {

/// W = J J^T of a lower rank - depth v v^T / |v|^2.
FrictionProblem dented(Index contacts, double depth) {
  FrictionProblem problem;
  BlockCsr W = test::random_delassus(contacts, 2 * contacts, 0.0, 11);
  const Vector v = test::random_vector(3 * contacts, 12);
  double size = 0.0;
  for (std::size_t i = 0; i < v.extent(0); ++i) size += v(i) * v(i);
  for (Index i = 0; i < contacts; ++i) {
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      for (Index e = 0; e < 9; ++e) {
        W.value(9 * k + e) -= depth * v(3 * i + e / 3) * v(3 * W.column(k) + e % 3) / size;
      }
    }
  }
  problem.W = to_scalar(W);
  problem.q = test::random_vector(3 * contacts, 13);
  problem.mu = test::vector_of(std::vector<double>(static_cast<std::size_t>(contacts), 0.5));
  return problem;
}

TEST(Indefinite, SemidefiniteMatricesGetNoProof) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomFrictionProblem random = random_friction_problem(seed, {.max_contacts = 60});
    EXPECT_FALSE(find_negative_energy(random.problem).found()) << seed;
  }
  EXPECT_FALSE(find_negative_energy(dented(20, 0.0)).found());
  EXPECT_FALSE(find_negative_energy(dented(20, 1e-7)).found());  // rounding of text
}

TEST(Indefinite, ADentIsFoundAndProved) {
  const FrictionProblem problem = dented(20, 30.0);
  const NegativeEnergy energy = find_negative_energy(problem);
  ASSERT_TRUE(energy.found());
  // z . W z again, in the scaled variables written out: a positive multiple per contact moves no sign.
  double sum = 0.0;
  std::vector<double> scale(20);
  for (Index i = 0; i < 20; ++i) {
    double block[9] = {};
    for (Index r = 0; r < 3; ++r) {
      const Index row = 3 * i + r;
      for (Index k = problem.W.row_begin(row); k < problem.W.row_begin(row + 1); ++k) {
        const Index c = problem.W.column(k) - 3 * i;
        if (c >= 0 && c < 3) block[3 * r + c] = problem.W.value(k);
      }
    }
    Mat3 m;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m(r, c) = block[3 * r + c];
    }
    scale[static_cast<std::size_t>(i)] = 1.0 / std::sqrt(spectral_norm(m));
  }
  const auto z = [&](Index row) {
    return scale[static_cast<std::size_t>(row / 3)] * energy.z[static_cast<std::size_t>(row)];
  };
  for (Index row = 0; row < problem.W.rows; ++row) {
    for (Index k = problem.W.row_begin(row); k < problem.W.row_begin(row + 1); ++k) {
      sum += z(row) * problem.W.value(k) * z(problem.W.column(k));
    }
  }
  EXPECT_LT(sum, -1e-4);
  EXPECT_NEAR(sum, energy.quotient, 1e-9);
}

TEST(Indefinite, RowsAndPairsAreNamedByTheirContact) {
  FrictionProblem row = dented(10, 0.0);
  for (Index k = row.W.row_begin(22); k < row.W.row_begin(23); ++k) {
    if (row.W.column(k) == 22) row.W.value(k) = -1.0;
  }
  const NegativeEnergy energy = find_negative_energy(row);
  ASSERT_TRUE(energy.found());
  EXPECT_EQ(energy.contact, 7);
}

/// Unsolved, it is named; the best iterate and its errors are there all the same.
TEST(Indefinite, TheSolverNamesItBeforeALongSearch) {
  FrictionSolverOptions options;
  options.max_factorizations = 5000;
  options.rescue.ask_after = 10;
  options.attempt = 50;
  FrictionProblem problem = dented(30, 0.0);
  for (Index row = 0; row < 90; ++row) {  // u of contact 0 is -r - (1, 0, 0): never admissible
    for (Index k = problem.W.row_begin(row); k < problem.W.row_begin(row + 1); ++k) {
      const Index column = problem.W.column(k);
      if (row < 3 || column < 3) problem.W.value(k) = row == column ? -1.0 : 0.0;
    }
  }
  problem.q(0) = -1.0;
  problem.q(1) = problem.q(2) = 0.0;
  const FrictionResult result = FrictionSolver(options, standard_backends()).solve(problem);
  EXPECT_EQ(result.status, FrictionStatus::kIndefinite);
  EXPECT_LT(result.negative_energy, 0.0);
  EXPECT_LT(result.factorizations, 200);
  EXPECT_TRUE(std::isfinite(result.error.siconos));
  EXPECT_NE(result.stages.back().reason.find("not positive semidefinite"), std::string::npos);
}

}  // namespace
}  // namespace nsn
