// Newton matrices that a factorisation gathers itself against the same matrices stored.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/dual_system.h"

namespace nsn {
namespace {

/// W = J J^T + small I over `blocks` blocks; band < blocks leaves blocks far apart uncoupled.
BlockCsr random_W(Index blocks, Index band, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = std::max(0, i - band); j <= i; ++j) {
      BlockTriplet lower{i, j, {}};
      BlockTriplet upper{j, i, {}};
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
          const double value = number(random);
          lower.value[3 * r + c] = upper.value[3 * c + r] = value;
        }
      }
      if (i == j) {
        for (std::size_t r = 0; r < 3; ++r) {
          for (std::size_t c = r; c < 3; ++c) lower.value[3 * r + c] = lower.value[3 * c + r];
          lower.value[4 * r] += 4.0 * static_cast<double>(std::min(band + 1, blocks));
        }
      }
      triplets.push_back(lower);
      if (i != j) triplets.push_back(upper);
    }
  }
  return block_csr_from_triplets(blocks, blocks, triplets);
}

/// Open, sticking, slipping with and without a turn, box rows partly at their bounds.
std::vector<ncp::BlockLinearization> every_state(Index blocks, bool coupled) {
  std::vector<ncp::BlockLinearization> rows(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ncp::BlockLinearization& row = rows[i];
    const std::uint8_t active[] = {7, 5, 0, 1, 7, 6, 2};
    row.active = active[i % 7];
    row.rotated = i % 7 == 1 || i % 7 == 3;
    if (row.rotated) {
      row.tx = std::cos(0.7 * static_cast<double>(i));
      row.ty = std::sin(0.7 * static_cast<double>(i));
      row.coupling = coupled ? 0.6 : 0.0;
      row.compliance[2] = row.active == 5 ? 0.3 : 0.0;
    }
  }
  return rows;
}

struct Solved {
  NewtonSolve report;
  std::vector<double> z;
  double residual = 0.0;  // with the entries, relative
};

Solved solve(const BlockCsr& W, const std::vector<ncp::BlockLinearization>& rows, bool trust,
             const char* backend = "contact-lu", double A_value = 0.01) {
  const Index n = W.scalar_rows();
  DualSystem system(standard_backends().make(backend), {.trust = trust});
  system.analyze(W);
  system.set_values(W, true);
  const Vector s = zero_vector(n);
  const Vector A = zero_vector(n);
  const Vector b = zero_vector(n);
  const Vector z = zero_vector(n);
  const Vector product = zero_vector(n);
  fill(s, 1.0);
  fill(A, A_value);
  for (Index k = 0; k < n; ++k) {
    const bool active = (rows[static_cast<std::size_t>(k / 3)].active >> (k % 3) & 1) != 0;
    b(k) = active ? std::sin(1.0 + k) : 0.0;
  }
  system.scale(s);
  system.prepare(rows, A);
  Solved solved;
  solved.report = system.solve(b, z);
  solved.z.assign(z.data(), z.data() + n);
  multiply(system.matrix(), z, product);
  solved.residual = residual_norm(b, product, product) / norm2(b);
  return solved;
}

struct Shape {
  Index blocks;
  Index band;
};

class GatheredMatrix : public ::testing::TestWithParam<Shape> {};

TEST_P(GatheredMatrix, HasTheSolutionOfTheStoredOne) {
  const BlockCsr W = random_W(GetParam().blocks, GetParam().band, 3);
  for (const bool coupled : {false, true}) {
    const auto rows = every_state(W.rows, coupled);
    const Solved gathered = solve(W, rows, true);
    const Solved stored = solve(W, rows, false);
    const Solved other = solve(W, rows, false, "klu");
    EXPECT_TRUE(gathered.report.ok);
    EXPECT_LE(gathered.residual, 1e-12);
    EXPECT_LE(stored.residual, 1e-12);
    for (std::size_t k = 0; k < gathered.z.size(); ++k) {
      EXPECT_EQ(gathered.z[k], stored.z[k]) << k;
      EXPECT_NEAR(gathered.z[k], other.z[k], 1e-12) << k;
    }
  }
}

TEST_P(GatheredMatrix, IsStoredForSolversThatWantEntries) {
  const BlockCsr W = random_W(GetParam().blocks, GetParam().band, 3);
  const Solved solved = solve(W, every_state(W.rows, true), true, "klu");
  EXPECT_TRUE(solved.report.ok);
  EXPECT_LE(solved.residual, 1e-12);
}

TEST_P(GatheredMatrix, SaysSoWhereItIsSingular) {
  const BlockCsr W = random_W(GetParam().blocks, GetParam().band, 3);
  std::fill_n(W.value.data(), W.value.extent(0), 0.0);
  const Solved singular = solve(W, every_state(W.rows, false), true, "contact-lu", 0.0);
  EXPECT_FALSE(singular.report.ok);
  EXPECT_EQ(singular.report.status, LinearStatus::kSingularPivot);
  for (const double z : singular.z) EXPECT_EQ(z, 0.0);
}

TEST_P(GatheredMatrix, SaysSoWhereItIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e308}) {
    BlockCsr W = random_W(GetParam().blocks, GetParam().band, 3);
    std::fill_n(W.value.data(), W.value.extent(0), bad);
    const Solved solved = solve(W, every_state(W.rows, true), true);
    EXPECT_FALSE(solved.report.ok) << bad;
    for (const double z : solved.z) EXPECT_EQ(z, 0.0);
  }
}

TEST_P(GatheredMatrix, MayBeIndefinite) {
  BlockCsr W = random_W(GetParam().blocks, GetParam().band, 5);
  for (Index k = 0; k < size_of(W.value); ++k) W.value(k) = -W.value(k);
  const auto rows = every_state(W.rows, false);  // symmetric: Cholesky is tried first
  const Solved solved = solve(W, rows, true);
  EXPECT_TRUE(solved.report.ok);
  EXPECT_LE(solved.residual, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GatheredMatrix,
                         ::testing::Values(Shape{1, 0}, Shape{2, 1}, Shape{9, 8}, Shape{9, 2},
                                           Shape{23, 22}, Shape{40, 3}, Shape{70, 69}));

TEST(GatheredMatrix, MayHaveNoActiveRow) {
  const BlockCsr W = random_W(5, 4, 1);
  std::vector<ncp::BlockLinearization> rows(5);
  DualSystem system(standard_backends().make("contact-lu"), {.trust = true});
  system.analyze(W);
  system.set_values(W, true);
  const Vector one = zero_vector(15);
  fill(one, 1.0);
  system.scale(one);
  system.prepare(rows, one);
  const Vector z = zero_vector(15);
  EXPECT_TRUE(system.solve(one, z).ok);
  for (Index k = 0; k < 15; ++k) EXPECT_EQ(z(k), 1.0);  // unit rows
}

}  // namespace
}  // namespace nsn
