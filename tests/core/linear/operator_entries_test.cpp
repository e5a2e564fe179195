// Entries of operators as scalars and as blocks.
#include "nsn/core/linear/operator_entries.h"

#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/linear/schur_operator.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

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

TEST(BlockEntries, FollowsTheValuesOfAScalarOperator) {
  const Dense D = random_matrix(8, 8, 9);
  CsrOperator op(sparse(D));
  BlockEntries entries;
  entries.analyze(op);
  for (Index k = 0; k < op.scalars()->nonzeros(); ++k) op.scalars()->value(k) *= 2.0;

  const Dense padded = dense(entries.update(op));

  EXPECT_EQ(Dense(padded.topLeftCorner(8, 8)), Dense(2.0 * D));
  EXPECT_EQ(padded(8, 8), 1.0);
}

// Of a pattern that is neither symmetric nor has a full diagonal: completed by zero blocks.
TEST(BlockEntries, CompleteThePatternOfABlockOperator) {
  std::vector<BlockTriplet> triplets;
  for (const auto& [i, j] : std::vector<std::pair<Index, Index>>{{0, 0}, {0, 2}, {1, 0}}) {
    triplets.push_back({i, j, {1.0 + i, 2.0, 3.0 + j, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}});
  }
  const BlockCsr given = block_csr_from_triplets(3, 3, triplets);
  const BlockOperator op(given, false);
  BlockEntries entries;

  entries.analyze(op);
  const BlockCsr& A = entries.update(op);

  EXPECT_EQ(A.blocks(), 7);
  EXPECT_EQ(dense(A), dense(given));
  ASSERT_EQ(entries.transposed().size(), 7U);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      EXPECT_EQ(entries.transposed()[static_cast<std::size_t>(k)], find_block(A, A.column(k), i));
    }
  }
}

TEST(BlockEntries, ViewABlockOperatorOfASymmetricPattern) {
  const std::vector<BlockTriplet> triplets = {{0, 0, {1}}, {0, 1, {2}}, {1, 0, {3}}, {1, 1, {4}}};
  const BlockOperator op(block_csr_from_triplets(2, 2, triplets), false);
  BlockEntries entries;

  entries.analyze(op);

  EXPECT_EQ(entries.update(op).value.data(), op.blocks()->value.data());
  EXPECT_EQ(entries.transposed(), (std::vector<Index>{0, 2, 1, 3}));
}

TEST(OperatorEntries, RefuseAMatrixFreeOperator) {
  const SchurOperator op(block_csr_from_triplets(1, 1, std::vector<BlockTriplet>{{0, 0, {1}}}),
                         Vector("H", 9), {});

  EXPECT_THROW(ScalarEntries().analyze(op), std::invalid_argument);
  EXPECT_THROW(BlockEntries().analyze(op), std::invalid_argument);
}

}  // namespace
}  // namespace nsn
