// Sweeps with the velocities of bodies against sweeps with the rows of W.
#include "nsn/core/contact/contact_gauss_seidel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/step/delassus.h"

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

}  // namespace
}  // namespace nsn
