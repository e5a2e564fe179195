// Kernels over blocks of bodies: against dense algebra, padding untouched.
#include "nsn/core/factor/body_blocks.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/dense.h"

namespace nsn::body_blocks {
namespace {

using testing_support::Dense;
using testing_support::DenseVector;
using testing_support::random_matrix;
using testing_support::random_vector;

constexpr double kRounding = 1e-13;  // of sums of six products of numbers of size one

/// Rows of `A`, `stride` doubles from each other, and a vector's room after them.
std::vector<double> padded_rows(const Dense& A, std::size_t stride) {
  std::vector<double> out(static_cast<std::size_t>(A.rows()) * stride + kPadded, 0.0);
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = 0; j < A.cols(); ++j) {
      out[static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j)] = A(i, j);
    }
  }
  return out;
}

Dense read(const std::vector<double>& rows, Index num_rows, Index columns, std::size_t stride) {
  Dense A(num_rows, columns);
  for (Index i = 0; i < num_rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      A(i, j) = rows[static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j)];
    }
  }
  return A;
}

Dense positive_definite(unsigned seed) {
  const Dense B = random_matrix(6, 6, seed);
  return B * B.transpose() + Dense::Identity(6, 6);
}

/// A factorised block and its L.
struct Factored {
  std::vector<double> block;
  std::vector<double> reciprocal = std::vector<double>(kPadded, 0.0);
  Dense L;

  explicit Factored(const Dense& A) : block(padded_rows(A, kPadded)), L(A.llt().matrixL()) {
    EXPECT_TRUE(factor(block.data(), reciprocal.data()));
  }
};

TEST(BodyBlocks, ProductsOfThreeRows) {
  const Dense N = random_matrix(3, 3, 1);
  const Dense s = random_matrix(3, 6, 2);
  const Dense a = random_matrix(3, 6, 3);
  const Dense C = random_matrix(6, 6, 4);
  const std::vector<double> n = padded_rows(N, 3);
  const std::vector<double> linear = padded_rows(s.leftCols(3), 3);
  const std::vector<double> angular = padded_rows(s.rightCols(3), 3);
  std::vector<double> rows(3 * kPadded, 1.0);
  std::vector<double> scaled(3 * kPadded, 1.0);
  set_rows(linear.data(), angular.data(), n.data(), rows.data(), scaled.data());
  EXPECT_EQ((read(rows, 3, 6, kPadded) - s).norm(), 0.0);
  EXPECT_EQ(read(rows, 3, 8, kPadded).rightCols(2).norm(), 0.0);
  EXPECT_LT((read(scaled, 3, 6, kPadded) - N * s).norm(), kRounding);
  EXPECT_EQ(read(scaled, 3, 8, kPadded).rightCols(2).norm(), 0.0);
  std::vector<double> block = padded_rows(C, kPadded);
  add_product(padded_rows(a, kPadded).data(), scaled.data(), block.data());
  EXPECT_LT((read(block, 6, 6, kPadded) - (C + a.transpose() * N * s)).norm(), kRounding);
  EXPECT_EQ(read(block, 6, 8, kPadded).rightCols(2).norm(), 0.0);
}

TEST(BodyBlocks, FactorIsCholeskys) {
  const Factored f(positive_definite(5));
  Dense L = Dense::Zero(6, 6);
  for (Index j = 0; j < 6; ++j) {
    L(j, j) = 1.0 / f.reciprocal[static_cast<std::size_t>(j)];
    for (Index i = 0; i < 6; ++i) {
      const double entry = f.block[static_cast<std::size_t>(8 * j + i)];
      if (i > j) L(i, j) = entry;
      if (i == j) continue;
      EXPECT_EQ(entry, f.block[static_cast<std::size_t>(8 * i + j)]);  // rows before the diagonal
    }
  }
  EXPECT_LT((L - f.L).norm(), kRounding);
}

TEST(BodyBlocks, NoFactorOfWhatIsNotPositiveDefiniteOrNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (Index place = 0; place < 6; ++place) {
      Dense A = Dense::Identity(6, 6);
      A(place, place) = bad;
      std::vector<double> block = padded_rows(A, kPadded);
      std::vector<double> reciprocal(kPadded, 0.0);
      EXPECT_FALSE(factor(block.data(), reciprocal.data())) << bad << " at " << place;
    }
  }
}

/// Panels of any width, those that fill whole vectors and those that do not.
TEST(BodyBlocks, Panels) {
  for (const Index columns : {1, 3, 8, 9, 15, 24, 30}) {
    const std::size_t stride = padded(static_cast<std::size_t>(columns)) + kPadded;
    const Dense X = random_matrix(6, columns, 6);
    const Dense C = random_matrix(6, columns + 3, 7);
    const Dense B = random_matrix(6, 6, 8);
    const auto width = static_cast<std::size_t>(columns);

    const Factored f(positive_definite(9));
    std::vector<double> x = padded_rows(X, stride);
    divide(f.block.data(), f.reciprocal.data(), width, stride, x.data());
    const Dense divided = f.L.triangularView<Eigen::Lower>().solve(X);
    EXPECT_LT((read(x, 6, columns, stride) - divided).norm(), kRounding * (1.0 + divided.norm()));

    const std::size_t wide = stride + kPadded;
    std::vector<double> c = padded_rows(C, wide);
    x = padded_rows(X, stride);
    subtract_product(padded_rows(B, kPadded).data(), width, stride, x.data(), wide, c.data() + 3);
    Dense expected = C;
    expected.rightCols(columns) -= B.transpose() * X;
    EXPECT_LT((read(c, 6, columns + 3, wide) - expected).norm(), kRounding * (1.0 + C.norm()));

    std::vector<double> gram(width * stride + kPadded, 0.0);
    add_gram(width, stride, x.data(), stride, gram.data());
    const Dense G = read(gram, columns, columns, stride);
    const Dense lower = G - X.transpose() * X;
    EXPECT_LT(Dense(lower.triangularView<Eigen::Lower>()).norm(), kRounding * (1.0 + G.norm()));
  }
}

TEST(BodyBlocks, Columns) {
  const Factored f(positive_definite(10));
  const Dense B = random_matrix(6, 6, 11);
  const DenseVector v = random_vector(6, 12);
  const DenseVector w = random_vector(6, 13);
  const std::vector<double> block = padded_rows(B, kPadded);
  const auto column = [](const DenseVector& a) { return padded_rows(a.transpose(), kPadded); };
  const auto values = [](const std::vector<double>& a) {
    return DenseVector(read(a, 1, 6, kPadded).transpose());
  };
  std::vector<double> y = column(v);
  forward(f.block.data(), f.reciprocal.data(), y.data());
  EXPECT_LT((f.L * values(y) - v).norm(), kRounding);
  y = column(v);
  backward(f.block.data(), f.reciprocal.data(), y.data());
  EXPECT_LT((f.L.transpose() * values(y) - v).norm(), kRounding);
  EXPECT_EQ(y[6], 0.0);
  y = column(v);
  std::vector<double> z = column(w);
  subtract_transposed(block.data(), y.data(), z.data());
  EXPECT_LT((values(z) - (w - B.transpose() * v)).norm(), kRounding);
  z = column(w);
  subtract(block.data(), z.data(), y.data());
  EXPECT_LT((values(y) - (v - B * w)).norm(), kRounding);
}

}  // namespace
}  // namespace nsn::body_blocks
