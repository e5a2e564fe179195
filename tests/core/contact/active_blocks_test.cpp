// Products with the active blocks of a contact matrix, in single precision.
#include "nsn/core/contact/active_blocks.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/contact/contact_operator.h"

namespace nsn {
namespace {

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

TEST(ActiveBlocks, MultiplyAsTheWholeMatrixToSinglePrecision) {
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
  // Nine products a row of entries up to 5 and x up to 2.5, each rounded by 6e-8.
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

TEST(ActiveBlocks, AnOpenContactIsAUnitRowWhateverIsStoredThere) {
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
