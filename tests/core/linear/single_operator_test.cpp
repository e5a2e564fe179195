// A matrix held in single precision: what it computes, and what a solver may claim with it.
#include "nsn/core/linear/single_operator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/contact/contact_operator.h"

namespace nsn {
namespace {

/// The 2D Laplacian plus a fraction that no float holds: 5-point stencil on n x n cells.
Csr laplacian(Index n) {
  std::vector<Triplet> t;
  const auto at = [n](Index i, Index j) { return i * n + j; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      t.push_back({at(i, j), at(i, j), 4.1});
      if (i > 0) t.push_back({at(i, j), at(i - 1, j), -1.0 / 3.0});
      if (i + 1 < n) t.push_back({at(i, j), at(i + 1, j), -1.0 / 3.0});
      if (j > 0) t.push_back({at(i, j), at(i, j - 1), -1.7});
      if (j + 1 < n) t.push_back({at(i, j), at(i, j + 1), -1.7});
    }
  }
  return csr_from_triplets(n * n, n * n, t);
}

Vector waves(Index n) {
  Vector x("x", static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) x(i) = std::sin(0.7 * i) + 0.2;
  return x;
}

/// Entries differ from the double ones by at most half a float's last digit.
void expect_product(const LinearOperator& op, double largest_row_sum) {
  SingleOperator F;
  F.analyze(op);
  F.update(op);
  const Vector x = waves(op.rows());
  const Vector exact("exact", x.extent(0));
  const Vector single("single", x.extent(0));
  op.apply(x, exact);
  F.apply(x, single);
  double difference = 0.0;
  for (Index i = 0; i < op.rows(); ++i) {
    difference = std::max(difference, std::abs(exact(i) - single(i)));
  }
  EXPECT_LE(difference, 0x1p-24 * largest_row_sum * norm_max(x));
  EXPECT_GT(difference, 0.0);
  const Vector d("d", x.extent(0));
  Kokkos::deep_copy(d, 0.5);
  const Vector again("again", x.extent(0));
  const ProductSums sums = F.apply_with_sums(x, d, {}, again);
  EXPECT_NEAR(sums.x_y, dot(x, single), 1e-12 * std::abs(sums.x_y));
  EXPECT_LT(F.bytes_per_apply(), op.bytes_per_apply());
}

TEST(SingleOperator, MultipliesScalarsThatAreNoMultipleOfThree) {
  expect_product(CsrOperator(laplacian(10)), 8.2);  // 100 rows; 4.1 + 2/3 + 3.4
}

TEST(SingleOperator, MultipliesBlocks) {
  expect_product(BlockOperator(to_blocks(laplacian(12))), 8.2);
}

TEST(SingleOperator, ReachesWhatFloatEntriesAllowAndSaysWhenThatIsNotEnough) {
  const CsrOperator op(laplacian(20));
  const Vector b = waves(op.rows());
  for (const std::string name : {"pcg", "pcr", "gmres"}) {
    const auto solver = standard_backends().make(name + ":storage=float");
    solver->prepare(op);
    const Vector x("x", b.extent(0));
    LinearReport report = solver->solve(b, x, {.rtol = 1e-5});
    EXPECT_TRUE(report.ok()) << name << ": " << report.detail;
    EXPECT_LE(report.relative_residual(), 1e-5) << name;

    Kokkos::deep_copy(x, 0.0);
    report = solver->solve(b, x, {.rtol = 1e-12});
    EXPECT_EQ(report.status, LinearStatus::kInaccurate) << name;
    EXPECT_NE(report.detail.find("storage=float"), std::string::npos) << report.detail;
    // |S| |x| / |b| <= the condition number, at most 9 / 0.03 = 300 here; times 2^-24
    EXPECT_LE(report.relative_residual(), 300 * 0x1p-24) << name;
  }
}

/// Blocks (i, i) and (i, i +- 1) of n contacts; contact 1 is open: a unit row in a unit column.
BlockCsr chain(Index n) {
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      BlockTriplet t{i, j, {}};
      for (int e = 0; e < 9; ++e) {
        const double entry = std::sin(1.0 + 3.0 * (i + j) + e) + (i == j && e % 4 == 0 ? 4.0 : 0.0);
        const double unit = i == j && e % 4 == 0 ? 1.0 : 0.0;
        t.value[static_cast<std::size_t>(e)] = i == 1 || j == 1 ? unit : entry;
      }
      triplets.push_back(t);
    }
  }
  return block_csr_from_triplets(n, n, triplets);
}

Vector wave(Index n, double frequency) {
  Vector v("v", static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) v(k) = 1.5 + std::cos(frequency * k);
  return v;
}

TEST(SingleOperator, OfActiveBlocksMultipliesAsTheWholeMatrixToSinglePrecision) {
  const Index n = 6;
  ContactOperator exact(chain(n));
  ContactOperator rounded(chain(n));
  rounded.use_single_precision();
  rounded.active()[1] = 0;
  rounded.values_changed(true);
  const Vector x = wave(3 * n, 1.0);
  const Vector d = wave(3 * n, 0.7);
  const Vector q = wave(3 * n, 0.3);
  Vector y("y", 3 * static_cast<std::size_t>(n));
  Vector z("z", 3 * static_cast<std::size_t>(n));
  // Nine products per row of entries up to 5 and x up to 2.5, each rounded by 6e-8.
  const double tolerance = 9 * 5 * 2.5 * std::numeric_limits<float>::epsilon();

  exact.apply(x, y);
  rounded.apply(x, z);
  for (Index k = 0; k < 3 * n; ++k) EXPECT_NEAR(z(k), y(k), tolerance) << k;

  for (const bool with_q : {false, true}) {
    const ProductSums a = exact.apply_with_sums(x, d, with_q ? q : Vector(), y);
    const ProductSums b = rounded.apply_with_sums(x, d, with_q ? q : Vector(), z);
    EXPECT_NEAR(b.x_y, a.x_y, 1e-6 * std::abs(a.x_y));
    EXPECT_NEAR(b.y_Py, a.y_Py, 1e-6 * std::abs(a.y_Py));
    EXPECT_DOUBLE_EQ(b.r_r, a.r_r);
    EXPECT_DOUBLE_EQ(b.x_q, a.x_q);
    EXPECT_NEAR(b.y_Pq, a.y_Pq, 1e-5 * std::abs(a.y_Pq));
  }
  EXPECT_LT(rounded.bytes_per_apply(), exact.bytes_per_apply());
}

TEST(SingleOperator, AnOpenContactIsAUnitRowWhateverIsStoredThere) {
  BlockCsr A = chain(4);
  ContactOperator op(A);
  op.use_single_precision();
  op.active()[1] = 0;
  op.values_changed(true);
  const Vector x = wave(12, 1.0);
  Vector y("y", 12);
  op.apply(x, y);
  for (Index k = 3; k < 6; ++k) EXPECT_EQ(y(k), x(k));
}

}  // namespace
}  // namespace nsn
