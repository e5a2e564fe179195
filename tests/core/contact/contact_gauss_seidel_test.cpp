// Sweeps with the velocities of bodies against sweeps with the rows of W.
#include "nsn/core/contact/contact_gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/base/math3.h"
#include "nsn/core/step/reductions/delassus.h"

namespace nsn {
namespace {

constexpr Index kBodies = 3;  // of two nodes each
constexpr Index kPerPair = 8;

/// Contacts between all pairs of three bodies, one of them a box row, in scaled variables.
struct Problem {
  BlockCsr J;
  Vector H_inverse{"H^-1", kBlockSize * 2 * kBodies};
  Vector E, s, q;
  Delassus delassus;
  BlockCsr W;  // S (J H^-1 J^T + E) S
  std::vector<RowLaw> laws;

  explicit Problem(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<BlockTriplet> triplets;
    Index row = 0;
    for (Index a = 0; a < kBodies; ++a) {
      for (Index b = 0; b < a; ++b) {
        for (Index k = 0; k < kPerPair; ++k, ++row) {
          for (const Index node : {2 * a, 2 * a + 1, 2 * b, 2 * b + 1}) {
            BlockTriplet entry{row, node, {}};
            for (double& x : entry.value) x = uniform(random);
            triplets.push_back(entry);
          }
        }
      }
    }
    J = block_csr_from_triplets(row, 2 * kBodies, triplets);
    for (Index n = 0; n < 2 * kBodies; ++n) {
      for (Index k = 0; k < 3; ++k) H_inverse(kBlockSize * n + 4 * k) = 1.5 + uniform(random);
    }
    const auto n = static_cast<std::size_t>(kBlock * row);
    E = Vector("E", 3 * n);
    for (Vector* v : {&s, &q}) *v = Vector("v", n);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    laws.assign(static_cast<std::size_t>(row), RowLaw::contact(0.6));
    laws.back() = RowLaw::box({-0.1, -0.1, -0.1}, {kInfinity, kInfinity, kInfinity});
    for (Index i = 0; i < row; ++i) {
      const double scale = 1.2 + uniform(random);
      for (Index k = 0; k < 3; ++k) {
        E(kBlockSize * i + 4 * k) = 0.1;
        s(kBlock * i + k) = scale;
        q(kBlock * i + k) = uniform(random);
      }
    }
    delassus.analyze(J);
    delassus.assemble(J, H_inverse, E);
    W = delassus.matrix();
    W.value = Vector("scaled", delassus.matrix().value.extent(0));
    for (Index i = 0; i < row; ++i) {
      for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
        for (Index e = 0; e < kBlockSize; ++e) {
          W.value(kBlockSize * k + e) =
              s(kBlock * i) * delassus.matrix().value(kBlockSize * k + e) * s(kBlock * W.column(k));
        }
      }
    }
  }
};

TEST(ContactGaussSeidel, FactorsDoWhatRowsOfWDo) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Problem problem(seed);
    ContactGaussSeidel by_rows(problem.W, problem.laws);
    ContactGaussSeidel by_factors(problem.W, problem.laws);
    by_factors.refresh(problem.J, problem.delassus.factor(), problem.s);
    const std::size_t n = problem.q.extent(0);
    const Vector x("x", n);
    const Vector y("y", n);
    double change = 0.0;
    for (int pass = 0; pass < 5; ++pass) change = by_rows.sweep(problem.q, x);
    const double change_factors = by_factors.sweep(problem.q, y, 5);

    EXPECT_NEAR(change_factors, change, 1e-12);
    double size = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(y(k), x(k), 1e-12) << seed;  // rounding of five passes over numbers of order one
      size = std::max(size, std::abs(x(k)));
    }
    EXPECT_GT(size, 0.1);  // some of them push
  }
}

/// One block W; what a sweep makes of x = 0.
Vec3 one_sweep(const Mat3& W, const RowLaw& law, const Vec3& q, const Vec3& start = {}) {
  BlockTriplet entry{0, 0, {}};
  for (int k = 0; k < 9; ++k) entry.value[static_cast<std::size_t>(k)] = W(k / 3, k % 3);
  const std::vector<BlockTriplet> entries{entry};
  const BlockCsr matrix = block_csr_from_triplets(1, 1, entries);
  const std::vector<RowLaw> laws{law};
  ContactGaussSeidel sweeps(matrix, laws);
  const Vector x("x", 3);
  const Vector b("q", 3);
  for (int k = 0; k < 3; ++k) {
    x(k) = start[k];
    b(k) = q[k];
  }
  sweeps.sweep(b, x);
  return {x(0), x(1), x(2)};
}

TEST(ContactGaussSeidel, OneContactSticksUpToItsConeAndNoFurther) {
  const RowLaw law = RowLaw::contact(0.6);
  const Mat3 W = diagonal(Vec3{1.0, 1.0, 1.0});
  const Vec3 sticks = one_sweep(W, law, {-1, 0.59, 0});
  EXPECT_NEAR(sticks[0], 1.0, 1e-14);
  EXPECT_NEAR(sticks[1], -0.59, 1e-14);
  const Vec3 slips = one_sweep(W, law, {-1, 0.62, 0});
  EXPECT_NEAR(slips[0], 1.0, 1e-14);
  EXPECT_NEAR(slips[1], -0.6, 1e-12);
  const Vec3 turned = one_sweep(W, law, {-1, 0.48, -0.4});  // |.| = 0.625
  EXPECT_NEAR(std::hypot(turned[1], turned[2]), 0.6, 1e-12);
  EXPECT_NEAR(turned[1] / turned[2], -0.48 / 0.4, 1e-10);
  const Vec3 open = one_sweep(W, law, {0.1, 1.0, 0}, {2, 1, 1});
  EXPECT_EQ(norm(open), 0.0);
}

/// Random symmetric positive blocks, pushed at random: the answer keeps Coulomb's law, from its definition.
TEST(ContactGaussSeidel, OneContactKeepsCoulombsLaw) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int sticking = 0;
  int slipping = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Mat3 A;
    for (int k = 0; k < 9; ++k) A(k / 3, k % 3) = uniform(random);
    const Mat3 W = A * transpose(A) + diagonal(Vec3{1.0, 1.0, 1.0});
    const double mu = 0.3 + 0.2 * uniform(random);
    const Vec3 q{-1.0, uniform(random), uniform(random)};
    const Vec3 x = one_sweep(W, RowLaw::contact(mu), q);
    const Vec3 u = W * x + q;
    EXPECT_GT(x[0], 0.0);
    EXPECT_NEAR(u[0], 0.0, 1e-11);
    const double bound = mu * x[0];
    const double tangent = std::hypot(x[1], x[2]);
    const double speed = std::hypot(u[1], u[2]);
    EXPECT_LE(tangent, bound * (1.0 + 1e-12));
    if (speed < 1e-11) {
      ++sticking;
      continue;
    }
    ++slipping;
    EXPECT_NEAR(tangent, bound, 1e-11);
    EXPECT_NEAR(x[1] * u[1] + x[2] * u[2], -tangent * speed, 1e-10);
  }
  EXPECT_GT(sticking, 20);
  EXPECT_GT(slipping, 20);
}

TEST(ContactGaussSeidel, APlanarContactSticksUpToItsConeAndNoFurther) {
  RowLaw law = RowLaw::contact(0.6);
  law.kind = RowLaw::Kind::kPlanarContact;
  const Mat3 W = diagonal(Vec3{2.0, 1.0, 1.0});
  const Vec3 sticks = one_sweep(W, law, {-2, 0.59, 5});
  EXPECT_NEAR(sticks[0], 1.0, 1e-14);
  EXPECT_NEAR(sticks[1], -0.59, 1e-14);
  EXPECT_EQ(sticks[2], 0.0);
  EXPECT_NEAR(one_sweep(W, law, {-2, 0.62, 0})[1], -0.6, 1e-14);
  EXPECT_NEAR(one_sweep(W, law, {-2, -0.62, 0})[1], 0.6, 1e-14);
}

TEST(ContactGaussSeidel, ABoxRowStopsAtItsBounds) {
  const RowLaw law = RowLaw::box({-0.1, -0.2, -0.3}, {0.4, 0.5, 0.6});
  const Mat3 W = diagonal(Vec3{1.0, 2.0, 4.0});
  const Vec3 free = one_sweep(W, law, {0.05, -0.5, 1.0});
  EXPECT_NEAR(free[0], -0.05, 1e-15);
  EXPECT_NEAR(free[1], 0.25, 1e-15);
  EXPECT_NEAR(free[2], -0.25, 1e-15);
  const Vec3 bound = one_sweep(W, law, {9, -9, 9});
  EXPECT_EQ(bound[0], -0.1);
  EXPECT_EQ(bound[1], 0.5);
  EXPECT_EQ(bound[2], -0.3);
}

}  // namespace
}  // namespace nsn
