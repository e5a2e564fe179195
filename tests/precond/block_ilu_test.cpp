// Incomplete LU in 3x3 blocks: exact without fill, and what it leaves where there is some.
#include "nsn/precond/block_ilu.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

/// Random 3x3 blocks where `has(i, j)`, diagonal blocks shifted by `shift`.
template <class Has>
Dense block_matrix(Index blocks, double shift, unsigned seed, const Has& has) {
  Dense A = random_matrix(3 * blocks, 3 * blocks, seed);
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = 0; j < blocks; ++j) {
      if (!has(i, j)) A.block(3 * i, 3 * j, 3, 3).setZero();
    }
  }
  return A + shift * Dense::Identity(3 * blocks, 3 * blocks);
}

bool in_chain(Index i, Index j) {
  return std::abs(i - j) <= 1;
}

/// Blocks of a 6 x 6 grid: its elimination fills in.
bool in_grid(Index i, Index j) {
  const Index across = std::abs(i % 6 - j % 6);
  const Index down = std::abs(i / 6 - j / 6);
  return across + down <= 1;
}

DenseVector product(const BlockIlu& P, const DenseVector& r) {
  const Vector z("z", static_cast<std::size_t>(r.size()));
  P.apply(view(r), z);
  return dense(z);
}

TEST(BlockIlu, IsTheInverseWhereNothingFillsIn) {
  const Dense A = block_matrix(20, 6.0, 1, in_chain);
  const BlockOperator op(to_blocks(sparse(A)), false);
  BlockIlu P;
  P.analyze(op);
  P.factorize(op);
  const DenseVector x = random_vector(60, 2);

  EXPECT_EQ(P.replaced(), 0);
  EXPECT_LE((product(P, A * x) - x).norm(), 1e-13 * x.norm());
}

TEST(BlockIlu, TakesNewValuesAndMatricesOfScalars) {
  // 3 is no divisor of 59: the last block is cut off.
  const Dense A = block_matrix(20, 6.0, 3, in_chain).topLeftCorner(59, 59);
  const Dense B = 2.0 * A;
  const CsrOperator first(sparse(A), false);
  const CsrOperator second(sparse(B), false);
  BlockIlu P;
  P.analyze(first);
  P.factorize(first);
  P.factorize(second);
  const DenseVector x = random_vector(59, 4);

  EXPECT_LE((product(P, B * x) - x).norm(), 1e-13 * x.norm());
}

TEST(BlockIlu, GmresNeedsFewerIterationsThanWithDiagonalBlocks) {
  const Dense A = block_matrix(36, 5.0, 5, in_grid);
  const BlockOperator op(to_blocks(sparse(A)), false);
  const DenseVector exact = random_vector(108, 6);
  const auto iterations = [&](const char* spec) {
    const auto solver = standard_backends().make(spec);
    solver->prepare(op);
    const Vector x("x", 108);
    const LinearReport report = solver->solve(view(DenseVector(A * exact)), x, {.rtol = 1e-10});
    EXPECT_TRUE(report.ok()) << spec << ": " << report.detail;
    EXPECT_LE((dense(x) - exact).norm(), 1e-8 * exact.norm()) << spec;
    return report.iterations;
  };

  EXPECT_LT(2 * iterations("gmres:precond=block-ilu"), iterations("gmres:precond=block-jacobi"));
}

TEST(BlockIlu, SingularBlocksAreLiftedAndAbsentOnesReplaced) {
  Dense A = block_matrix(4, 6.0, 7, in_chain);
  A.block(0, 0, 3, 3) = Dense::Ones(3, 3);
  A.block(9, 6, 3, 6).setZero();  // the last row has no block at all
  const BlockOperator op(to_blocks(sparse(A)), false);
  BlockIlu P;
  P.analyze(op);
  P.factorize(op);

  EXPECT_GT(P.shift(), 0.0);
  EXPECT_LT(P.shift(), 1e-4);
  EXPECT_EQ(P.replaced(), 1);
  EXPECT_NE(P.note().find("not regular"), std::string_view::npos);
  EXPECT_TRUE(product(P, DenseVector::Ones(12)).allFinite());
}

/// F F^T with fewer columns than rows: semidefinite, blocks everywhere.
Dense semidefinite(Index blocks) {
  const Dense F = random_matrix(3 * blocks, 3 * blocks / 2, 8);
  return F * F.transpose();
}

/// A with every block stored, zeros too.
BlockCsr all_blocks(const Dense& A) {
  std::vector<BlockTriplet> entries;
  for (Index i = 0; 3 * i < A.rows(); ++i) {
    for (Index j = 0; 3 * j < A.cols(); ++j) {
      BlockTriplet one{i, j, {}};
      for (Index e = 0; e < 9; ++e) {
        one.value[static_cast<std::size_t>(e)] = A(3 * i + e / 3, 3 * j + e % 3);
      }
      entries.push_back(one);
    }
  }
  const auto n = static_cast<Index>(A.rows() / 3);
  return block_csr_from_triplets(n, n, entries);
}

TEST(BlockIlu, BlocksOfZerosAreLeftOut) {
  const Dense chain = block_matrix(20, 12.0, 8, in_chain);
  for (const bool definite : {false, true}) {
    const Dense A = definite ? Dense(chain + chain.transpose()) : chain;
    const BlockOperator lean(to_blocks(sparse(A)), definite);
    const BlockOperator full(all_blocks(A), definite);
    ASSERT_EQ(full.blocks()->blocks(), 400);
    BlockIlu of_lean({.definite = definite});
    BlockIlu of_full({.definite = definite});
    of_lean.analyze(lean);
    of_full.analyze(full);
    for (int again = 0; again < 2; ++again) {
      of_lean.factorize(lean);
      of_full.factorize(full);
    }
    const DenseVector r = random_vector(60, 9);

    EXPECT_EQ(of_full.bytes_per_apply(), of_lean.bytes_per_apply());
    EXPECT_EQ((product(of_full, r) - product(of_lean, r)).norm(), 0.0);
  }
}

TEST(BlockIlu, ASemidefiniteMatrixHasDefiniteFactors) {
  const Dense A = semidefinite(12);
  const BlockOperator op(to_blocks(sparse(A)));
  BlockIlu P({.definite = true, .shift = 1e-8});
  P.analyze(op);
  P.factorize(op);
  Dense inverse(36, 36);
  for (Index k = 0; k < 36; ++k) inverse.col(k) = product(P, DenseVector::Unit(36, k));

  EXPECT_EQ(P.replaced(), 0);
  EXPECT_LE((inverse - inverse.transpose()).norm(), 1e-6 * inverse.norm());
  const Dense symmetric = 0.5 * (inverse + inverse.transpose());
  EXPECT_GT(symmetric.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
}

TEST(BlockIlu, TheShiftRisesWhereDroppedFillMakesAPivotNegative) {
  // A cycle of scalars whose dropped fill is all that keeps it definite.
  Dense A = Dense::Identity(4, 4) * 1.0;
  for (Index i = 0; i < 4; ++i) {
    A(i, (i + 1) % 4) = A((i + 1) % 4, i) = i == 3 ? -0.7 : 0.7;
  }
  const CsrOperator op(sparse(A));
  BlockIlu P({.definite = true, .shift = 1e-8});
  P.analyze(op);
  P.factorize(op);

  EXPECT_GT(P.shift(), 1e-3);
  EXPECT_NE(P.note().find("not positive definite"), std::string_view::npos);
  EXPECT_GT(DenseVector::Ones(4).dot(product(P, DenseVector::Ones(4))), 0.0);
}

}  // namespace
}  // namespace nsn
