// S = J H^-1 J^T + C, formed and as a product, against dense algebra.
#include <gtest/gtest.h>

#include "nsn/core/linear/schur_operator.h"
#include "nsn/core/step/reductions/delassus.h"
#include "tests/support/dense.h"

namespace nsn {
namespace {

using namespace testing_support;

constexpr Index kConstraints = 9;
constexpr Index kNodes = 6;
// Entries of S are sums of at most 6 * 9 products of numbers below 3.
constexpr double kRounding = 1e-13;

struct Factors {
  BlockCsr J;
  Vector H_inverse;
  BlockCsr C;
  Dense S;
};

/// Symmetric blocks A A^T on the diagonal.
BlockCsr spd_diagonal(Index blocks, unsigned seed) {
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < blocks; ++i) {
    const Eigen::Matrix3d A = random_matrix(3, 3, seed + static_cast<unsigned>(i));
    const Eigen::Matrix3d B = A * A.transpose();
    BlockTriplet t{i, i, {}};
    for (Index e = 0; e < 9; ++e) t.value[static_cast<std::size_t>(e)] = B(e / 3, e % 3);
    triplets.push_back(t);
  }
  return block_csr_from_triplets(blocks, blocks, triplets);
}

Factors factors(unsigned seed) {
  Factors f;
  f.J = random_blocks(kConstraints, kNodes, 0.4, 21);
  for (Index k = 0; k < size_of(f.J.value); ++k) f.J.value(k) += 0.01 * seed;
  const BlockCsr H = spd_diagonal(kNodes, 30 + seed);
  f.H_inverse = H.value;
  f.C = spd_diagonal(kConstraints, 50 + seed);
  f.S = dense(f.J) * dense(H) * dense(f.J).transpose() + dense(f.C);
  return f;
}

TEST(SchurOperator, ProductMatchesDense) {
  const Factors f = factors(1);
  const SchurOperator op(f.J, f.H_inverse, f.C);
  const DenseVector x = random_vector(op.rows(), 2);
  const DenseVector d = random_vector(op.rows(), 3).cwiseAbs().array() + 0.1;
  const Vector y("y", static_cast<std::size_t>(op.rows()));
  const Vector y_too("y", static_cast<std::size_t>(op.rows()));

  op.apply(view(x), y);
  const ProductSums sums = op.apply_with_sums(view(x), view(d), {}, y_too);

  EXPECT_LE((dense(y) - f.S * x).norm(), kRounding);
  EXPECT_EQ(dense(y), dense(y_too));
  EXPECT_NEAR(sums.x_y, x.dot(f.S * x), kRounding * f.S.norm());
}

TEST(SchurOperator, DiagonalsAreExactWithoutForming) {
  const Factors f = factors(2);
  const SchurOperator op(f.J, f.H_inverse, f.C);
  const Vector diagonal("d", static_cast<std::size_t>(op.rows()));
  const Vector blocks("b", static_cast<std::size_t>(3 * op.rows()));

  op.diagonal(diagonal);
  op.diagonal_blocks(blocks);

  EXPECT_LE((dense(diagonal) - f.S.diagonal()).norm(), kRounding);
  for (Index i = 0; i < kConstraints; ++i) {
    for (Index e = 0; e < 9; ++e) {
      EXPECT_NEAR(blocks(9 * i + e), f.S(3 * i + e / 3, 3 * i + e % 3), kRounding);
    }
  }
}

TEST(SchurOperator, FollowsChangedValuesAndSaysSo) {
  const Factors f = factors(3);
  SchurOperator op(f.J, f.H_inverse, f.C);
  const auto pattern = op.pattern_id();
  const auto values = op.value_id();
  for (Index k = 0; k < size_of(f.J.value); ++k) f.J.value(k) *= 2.0;
  for (Index k = 0; k < size_of(f.C.value); ++k) f.C.value(k) *= 4.0;
  op.values_changed();
  const DenseVector x = random_vector(op.rows(), 4);
  const Vector y("y", static_cast<std::size_t>(op.rows()));

  op.apply(view(x), y);

  EXPECT_LE((dense(y) - 4.0 * f.S * x).norm(), 4.0 * kRounding);
  EXPECT_EQ(op.pattern_id(), pattern);
  EXPECT_NE(op.value_id(), values);
}

TEST(SchurOperator, TakesNoComplianceAndRefusesSizesThatDoNotFit) {
  const Factors f = factors(4);
  const SchurOperator op(f.J, f.H_inverse, {});
  const DenseVector x = random_vector(op.rows(), 5);
  const Vector y("y", static_cast<std::size_t>(op.rows()));

  op.apply(view(x), y);

  EXPECT_LE((dense(y) - (f.S - dense(f.C)) * x).norm(), kRounding);
  EXPECT_THROW(SchurOperator(f.J, Vector("H", 9), f.C), std::invalid_argument);
  EXPECT_THROW(SchurOperator(f.J, f.H_inverse, spd_diagonal(2, 1)), std::invalid_argument);
}

TEST(Delassus, MatchesDenseAndIsSymmetricToTheLastBit) {
  const Factors f = factors(5);
  Delassus delassus;
  delassus.analyze(f.J);

  delassus.assemble(f.J, f.H_inverse, f.C.value);

  EXPECT_LE((dense(delassus.matrix()) - f.S).norm(), kRounding);
  EXPECT_EQ(asymmetry(to_scalar(delassus.matrix())), 0.0);
}

TEST(Delassus, NewValuesKeepThePatternAndTheArrays) {
  const Factors first = factors(6);
  const Factors second = factors(7);
  Delassus delassus;
  delassus.analyze(first.J);
  delassus.assemble(first.J, first.H_inverse, first.C.value);
  const double* const values = delassus.matrix().value.data();

  delassus.assemble(second.J, second.H_inverse, second.C.value);

  EXPECT_EQ(delassus.matrix().value.data(), values);
  EXPECT_LE((dense(delassus.matrix()) - second.S).norm(), kRounding);
}

TEST(Delassus, KeepsTheDiagonalOfAConstraintThatTouchesNothing) {
  const BlockCsr J = block_csr_from_triplets(2, 1, std::vector<BlockTriplet>{{0, 0, {1}}});
  Delassus delassus;
  delassus.analyze(J);
  const Vector H("H", 9);
  H(0) = 3.0;
  const Vector E("E", 18);
  for (Index i = 0; i < 2; ++i) {
    for (Index k = 0; k < 3; ++k) E(9 * i + 4 * k) = 0.25;
  }

  delassus.assemble(J, H, E);

  EXPECT_EQ(delassus.matrix().blocks(), 2);
  EXPECT_EQ(dense(delassus.matrix())(0, 0), 3.25);
  EXPECT_EQ(dense(delassus.matrix())(5, 5), 0.25);
}

}  // namespace
}  // namespace nsn
