#include "nsn/core/linear/scalar_entries.h"

#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

double entry(const Csr& A, Index i, Index j) {
  for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
    if (A.column(k) == j) return A.value(k);
  }
  return 0.0;
}

// Blocks at (0,0), (0,1), (1,0); the diagonal block (1,1) is absent.
BlockCsr arrow(double scale) {
  std::vector<BlockTriplet> blocks;
  for (const auto& [i, j] : std::vector<std::pair<Index, Index>>{{0, 0}, {0, 1}, {1, 0}}) {
    BlockTriplet t{i, j, {}};
    for (std::size_t e = 0; e < 9; ++e)
      t.value[e] = scale * (10.0 * (i + 2 * j) + static_cast<double>(e));
    blocks.push_back(t);
  }
  return block_csr_from_triplets(2, 2, blocks);
}

TEST(ScalarEntries, ViewAScalarOperatorWithoutCopying) {
  const std::vector<Triplet> t = {{0, 0, 2.0}, {0, 1, 1.0}, {1, 0, 1.0}};
  const CsrOperator op(csr_from_triplets(2, 2, t));
  ScalarEntries entries;

  entries.analyze(op);
  const Csr& A = entries.update(op);

  EXPECT_EQ(A.value.data(), op.scalars()->value.data());
  EXPECT_EQ(entries.bytes_held(), 0.0);
}

TEST(ScalarEntries, CompleteTheDiagonalOnRequest) {
  // [2 1 .]
  // [1 . .]   rows 1 and 2 have no diagonal entry, row 2 nothing at all
  // [. . .]
  const std::vector<Triplet> t = {{0, 0, 2.0}, {0, 1, 1.0}, {1, 0, 1.0}};
  const CsrOperator op(csr_from_triplets(3, 3, t));
  ScalarEntries entries(ScalarEntries::Diagonal::kComplete);

  entries.analyze(op);
  const Csr& A = entries.update(op);

  ASSERT_EQ(A.nonzeros(), 5);
  EXPECT_EQ(A.column(3), 1);
  EXPECT_EQ(A.column(4), 2);
  EXPECT_EQ(entry(A, 0, 1), 1.0);
  EXPECT_EQ(entry(A, 1, 0), 1.0);
  EXPECT_EQ(entry(A, 1, 1), 0.0);
}

TEST(ScalarEntries, RefreshTheValuesOfBlocksInPlace) {
  const BlockCsr first = arrow(1.0);
  BlockOperator op(first);
  for (const auto diagonal :
       {ScalarEntries::Diagonal::kAsStored, ScalarEntries::Diagonal::kComplete}) {
    ScalarEntries entries(diagonal);
    entries.analyze(op);
    const double* const storage = entries.update(op).value.data();
    const Csr expected = to_scalar(arrow(3.0));

    Kokkos::deep_copy(first.value, arrow(3.0).value);
    const Csr& A = entries.update(op);

    EXPECT_EQ(A.value.data(), storage);
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) EXPECT_EQ(entry(A, i, j), entry(expected, i, j));
    }
    Kokkos::deep_copy(first.value, arrow(1.0).value);
  }
}

}  // namespace
}  // namespace nsn
