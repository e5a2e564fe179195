// Dense kernels of fronts against plain loops, at every size around their tiles and panels.
#include "nsn/core/factor/front_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace nsn::front {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Column-major, with the room that kernels may touch; what lies there is no number.
struct Matrix {
  Matrix(int rows_given, int columns)
      : rows(rows_given), values(static_cast<std::size_t>(rows_given * columns), 0.0) {
    values.insert(values.end(), kBeyond, kNan);
  }
  double& operator()(int i, int j) { return values[static_cast<std::size_t>(j * rows + i)]; }
  double operator()(int i, int j) const { return values[static_cast<std::size_t>(j * rows + i)]; }
  double* data() { return values.data(); }
  int rows;
  std::vector<double> values;
};

Matrix random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  Matrix A(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) A(i, j) = number(random);
  }
  return A;
}

std::vector<double> random_vector(int n, unsigned seed) {
  Matrix v = random_matrix(n, 1, seed);
  return v.values;
}

/// A front of p pivots and u rows: the whole matrix, and its parts as the kernels take them.
struct Front {
  Front(const Matrix& A_given, int p_given)
      : A(A_given), p(p_given), u(A_given.rows - p_given), L(A.rows, p), U(p, u) {
    for (int j = 0; j < p; ++j) {
      for (int i = 0; i < A.rows; ++i) L(i, j) = A(i, j);
    }
    for (int j = 0; j < u; ++j) {
      for (int i = 0; i < p; ++i) U(i, j) = A(i, p + j);
    }
  }
  Matrix A;
  int p, u;
  Matrix L, U;
};

class FrontKernels : public ::testing::TestWithParam<int> {};

TEST_P(FrontKernels, LuSolvesItsPivots) {
  const int p = GetParam();
  for (const int u : {0, 1, 5, 13}) {
    const int f = p + u;
    Matrix A = random_matrix(f, f, static_cast<unsigned>(100 * p + u));
    for (int i = 0; i < p; ++i) A(i, i) *= i % 3 == 0 ? 1e-3 : 4.0;  // some rows are exchanged
    Front front(A, p);
    std::vector<int> pivot(static_cast<std::size_t>(p));
    ASSERT_EQ(factor_lu(front.L.data(), f, p, front.U.data(), u, pivot.data(), 0.1), -1);

    // x of the pivots for given x of the rows: A11 x = b - A12 known
    std::vector<double> own = random_vector(p, 1);
    const std::vector<double> b = own;
    std::vector<double> known = random_vector(u, 2);
    std::vector<double> update(static_cast<std::size_t>(u + kBeyond));
    for (int k = 0; k < p; ++k) {
      std::swap(own[static_cast<std::size_t>(k)],
                own[static_cast<std::size_t>(pivot[static_cast<std::size_t>(k)])]);
    }
    forward_lu(front.L.data(), f, p, own.data(), update.data());
    for (double& value : known) value = -value;
    backward_lu(front.L.data(), f, p, front.U.data(), u, known.data(), own.data());
    for (int i = 0; i < p; ++i) {
      double sum = b[static_cast<std::size_t>(i)];
      double size = std::abs(sum);
      for (int j = 0; j < p; ++j) {
        sum -= A(i, j) * own[static_cast<std::size_t>(j)];
        size += std::abs(A(i, j) * own[static_cast<std::size_t>(j)]);
      }
      for (int j = 0; j < u; ++j) sum += A(i, p + j) * known[static_cast<std::size_t>(j)];
      EXPECT_LE(std::abs(sum), 1e-10 * (1.0 + size)) << p << " pivots, " << u << " rows, row " << i;
    }
  }
}

TEST_P(FrontKernels, CholeskySolvesItsPivotsAndUpdatesTheRest) {
  const int p = GetParam();
  for (const int u : {0, 1, 5, 13}) {
    const int f = p + u;
    const Matrix B = random_matrix(f, f, static_cast<unsigned>(100 * p + u));
    Matrix A(f, f);
    for (int i = 0; i < f; ++i) {
      for (int j = 0; j < f; ++j) {
        for (int k = 0; k < f; ++k) A(i, j) += B(i, k) * B(j, k);
      }
      A(i, i) += 0.1;
    }
    Front front(A, p);
    ASSERT_EQ(factor_cholesky(front.L.data(), f, p), -1);
    for (int i = 0; i < f; ++i) {
      for (int j = 0; j < std::min(i + 1, p); ++j) {
        double sum = 0.0;
        for (int k = 0; k <= j; ++k) sum += front.L(i, k) * front.L(j, k);
        EXPECT_NEAR(sum, A(i, j), 1e-11 * f) << p << " pivots, " << u << " rows";
      }
    }
    Matrix S(u, u);
    set_square(u, p, front.L.data() + p, static_cast<std::size_t>(f), S.data(),
               static_cast<std::size_t>(u));
    for (int j = 0; j < u; ++j) {
      for (int i = j; i < u; ++i) {
        double sum = 0.0;
        for (int k = 0; k < p; ++k) sum += front.L(p + i, k) * front.L(p + j, k);
        EXPECT_NEAR(S(i, j), -sum, 1e-11 * f);
      }
    }

    std::vector<double> own = random_vector(p, 1);
    const std::vector<double> b = own;
    const std::vector<double> known = random_vector(u, 2);
    std::vector<double> update(static_cast<std::size_t>(u + kBeyond));
    forward_cholesky(front.L.data(), f, p, own.data(), update.data());
    for (int i = 0; i < u; ++i) {
      double sum = 0.0;
      for (int k = 0; k < p; ++k) sum += front.L(p + i, k) * own[static_cast<std::size_t>(k)];
      EXPECT_NEAR(update[static_cast<std::size_t>(i)], sum, 1e-10 * f);
    }
    backward_cholesky(front.L.data(), f, p, known.data(), own.data());
    for (int i = 0; i < p; ++i) {  // A11 x = b - A12 known
      double sum = b[static_cast<std::size_t>(i)];
      for (int j = 0; j < p; ++j) sum -= A(i, j) * own[static_cast<std::size_t>(j)];
      for (int j = 0; j < u; ++j) sum -= A(i, p + j) * known[static_cast<std::size_t>(j)];
      EXPECT_NEAR(sum, 0.0, 1e-7) << p << " pivots, " << u << " rows, row " << i;
    }
  }
}

TEST_P(FrontKernels, ProductStaysInsideItsMatrix) {
  const int rows = GetParam();
  for (const int columns : {1, 3, 4, 9}) {
    constexpr int kDepth = 5;
    Matrix A = random_matrix(rows, kDepth, 1);
    Matrix B = random_matrix(kDepth, columns, 2);
    Matrix C = random_matrix(rows + 3, columns, 3);  // three rows of others below
    const Matrix before = C;
    subtract_product(rows, columns, kDepth, A.data(), static_cast<std::size_t>(rows), B.data(),
                     {1, kDepth}, C.data(), static_cast<std::size_t>(rows + 3));
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (int k = 0; k < kDepth; ++k) sum += A(i, k) * B(k, j);
        EXPECT_EQ(C(i, j), before(i, j) - sum);
      }
      for (int i = rows; i < rows + 3; ++i) EXPECT_EQ(C(i, j), before(i, j));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FrontKernels,
                         ::testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 40));

TEST(FrontKernels, LuNamesTheColumnWithoutAPivot) {
  for (const double bad : {0.0, kNan, std::numeric_limits<double>::infinity()}) {
    for (const int column : {0, 5, 11}) {
      Matrix A = random_matrix(12, 12, 7);
      for (int i = 0; i < 12; ++i) A(i, column) = bad;
      Matrix U(12, 0);
      int pivot[12];
      const int found = factor_lu(A.data(), 12, 12, U.data(), 0, pivot, 0.1);
      EXPECT_EQ(found, column) << bad;
    }
  }
}

TEST(FrontKernels, CholeskyNamesTheColumnWhosePivotIsNotPositive) {
  for (const double bad : {0.0, -1.0, kNan}) {
    Matrix A(10, 10);
    for (int i = 0; i < 10; ++i) A(i, i) = i == 9 ? bad : 2.0;
    EXPECT_EQ(factor_cholesky(A.data(), 10, 10), 9) << bad;
  }
}

}  // namespace
}  // namespace nsn::front
