// Scalar and block matrices against dense algebra.
#include <cmath>

#include <gtest/gtest.h>

#include "nsn/core/linear/linear_operator.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

// Sums of at most 30 products of numbers below 1: rounding stays below 30 * 1.1e-16.
constexpr double kRounding = 1e-14;

TEST(Csr, SumsDuplicatesAndOrdersColumns) {
  const Csr A = csr_from_triplets(
      2, 3, std::vector<Triplet>{{1, 2, 1.0}, {0, 1, 2.0}, {1, 0, 3.0}, {1, 2, 4.0}});

  EXPECT_EQ(A.nonzeros(), 3);
  EXPECT_EQ(A.column(1), 0);
  EXPECT_EQ(A.column(2), 2);
  EXPECT_EQ(A.value(2), 5.0);
}

TEST(Csr, RefusesAnIndexOutOfRange) {
  EXPECT_THROW(csr_from_triplets(2, 2, std::vector<Triplet>{{0, 2, 1.0}}), std::invalid_argument);
  EXPECT_THROW(csr_from_triplets(2, 2, std::vector<Triplet>{{-1, 0, 1.0}}), std::invalid_argument);
}

TEST(Csr, ProductAndTransposeMatchDense) {
  for (const Index columns : {1, 2, 3, 4, 5, 17, 30}) {  // rows of every length modulo 4
    const Dense D = random_matrix(11, columns, 3);
    const Csr A = sparse(D);
    const DenseVector x = random_vector(columns, 4);
    const Vector y("y", 11);

    multiply(A, view(x), y);

    EXPECT_LE((dense(y) - D * x).norm(), kRounding);
    EXPECT_EQ(dense(transpose(A)), Dense(D.transpose()));
  }
}

TEST(Csr, AsymmetryIsRelativeToTheLargestEntry) {
  Dense D = Dense::Identity(3, 3) * 4.0;
  D(0, 2) = 1.0;

  EXPECT_EQ(asymmetry(sparse(D)), 0.25);
  EXPECT_EQ(asymmetry(sparse(Dense::Identity(3, 3))), 0.0);
  EXPECT_EQ(asymmetry(csr_from_triplets(3, 3, {})), 0.0);
}

TEST(BlockCsr, SumsDuplicateBlocks) {
  const BlockTriplet one{0, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const BlockCsr A = block_csr_from_triplets(1, 2, std::vector<BlockTriplet>{one, one});

  ASSERT_EQ(A.blocks(), 1);
  EXPECT_EQ(A.value(8), 18.0);
}

TEST(BlockCsr, ProductTransposeAndScalarFormMatchDense) {
  const BlockCsr A = random_blocks(7, 5, 0.4, 5);
  const Dense D = dense(A);
  const DenseVector x = random_vector(15, 6);
  const Vector y("y", 21);

  multiply(A, view(x), y);

  EXPECT_LE((dense(y) - D * x).norm(), kRounding);
  EXPECT_EQ(dense(transpose(A).matrix), Dense(D.transpose()));
}

TEST(BlockCsr, TransposeIsRefreshedInPlace) {
  const BlockCsr A = random_blocks(6, 6, 0.4, 7);
  BlockTranspose At = transpose(A);
  for (Index k = 0; k < size_of(A.value); ++k) A.value(k) = 1.0 + k;

  refresh(At, A);

  EXPECT_EQ(dense(At.matrix), Dense(dense(A).transpose()));
}

TEST(BlockCsr, PadsAScalarMatrixWithOnes) {
  const Dense D = random_matrix(7, 7, 8);

  const Dense padded = dense(to_blocks(sparse(D)));

  ASSERT_EQ(padded.rows(), 9);
  EXPECT_EQ(Dense(padded.topLeftCorner(7, 7)), D);
  EXPECT_EQ(Dense(padded.bottomRightCorner(2, 2)), Dense(Dense::Identity(2, 2)));
  EXPECT_EQ(padded.topRightCorner(7, 2).norm(), 0.0);
}

TEST(BlockCsr, InvertsBlocksAndNamesTheSingularOne) {
  Dense blocks(3, 9);
  blocks << 2, 0, 0, 0, 4, 0, 0, 0, 8,  // diagonal
      1, 2, 3, 2, 4, 6, 0, 1, 5,        // second row twice the first
      4, 1, 0, 1, 3, 1, 0, 1, 2;        // symmetric
  const Vector in("in", 27);
  for (Index i = 0; i < 27; ++i) in(i) = blocks(i / 9, i % 9);
  const Vector out("out", 27);

  EXPECT_EQ(invert_blocks(in, out), 1);

  EXPECT_EQ(out(0), 0.5);
  const Eigen::Matrix3d A = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&in(18));
  const Eigen::Matrix3d inverse =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(&out(18));
  EXPECT_LE((A * inverse - Eigen::Matrix3d::Identity()).norm(), kRounding);
}

TEST(LinearOperator, DiagonalAndSumsAgreeInBothStorages) {
  const BlockCsr A = random_blocks(6, 6, 0.5, 10);
  const BlockOperator blocks(A);
  const CsrOperator scalars(to_scalar(A));
  const Dense D = dense(A);
  const DenseVector x = random_vector(18, 11);
  const DenseVector d = random_vector(18, 12).cwiseAbs().array() + 0.1;
  const DenseVector y = D * x;
  const DenseVector r = x.cwiseQuotient(d);
  const DenseVector q = random_vector(18, 13);
  for (const LinearOperator* op : {static_cast<const LinearOperator*>(&blocks),
                                   static_cast<const LinearOperator*>(&scalars)}) {
    const Vector out("y", 18);
    const Vector diagonal("diagonal", 18);

    const ProductSums sums = op->apply_with_sums(view(x), view(d), view(q), out);
    op->diagonal(diagonal);

    EXPECT_LE((dense(out) - y).norm(), kRounding);
    EXPECT_NEAR(sums.x_y, x.dot(y), kRounding * x.norm() * y.norm());
    EXPECT_NEAR(sums.y_Py, y.dot(d.cwiseProduct(y)), kRounding * y.squaredNorm());
    EXPECT_NEAR(sums.r_r, r.squaredNorm(), kRounding * r.squaredNorm());
    EXPECT_NEAR(sums.r_x, r.dot(x), kRounding * r.squaredNorm());
    EXPECT_NEAR(sums.x_q, x.dot(q), kRounding * x.norm() * q.norm());
    EXPECT_NEAR(sums.y_Pq, y.dot(d.cwiseProduct(q)), kRounding * y.norm() * q.norm());
    EXPECT_NEAR(sums.q_Pq, q.dot(d.cwiseProduct(q)), kRounding * q.squaredNorm());
    EXPECT_EQ(dense(diagonal), DenseVector(D.diagonal()));
  }
}

}  // namespace
}  // namespace nsn
