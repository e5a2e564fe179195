// The decisions of conjugate residuals, on scalars and on vectors of two entries.
#include "nsn/core/linear/pcr_recurrence.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace nsn {
namespace {

constexpr PcrLimits kLimits{.target = 1e-12, .least_squares = 1e-12, .max_iterations = 100};

/// A = diag(a), P = 1, as a kernel would run it.
struct Pair {
  std::array<double, 2> a, b, x{}, z{}, w{}, p{}, q{}, best{};
  PcrState s{};

  ProductSums sums(bool with_q) {
    ProductSums sum;
    for (std::size_t i = 0; i < 2; ++i) {
      w[i] = a[i] * z[i];
      with_q ? sum.add(z[i], 1.0, w[i], q[i]) : sum.add(z[i], 1.0, w[i]);
    }
    return sum;
  }
  void recompute() {
    for (std::size_t i = 0; i < 2; ++i) z[i] = b[i] - a[i] * x[i];
  }
  double delta() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 2; ++i) sum += (w[i] + s.beta * q[i]) * (w[i] + s.beta * q[i]);
    return sum;
  }
  PcrEnd run(const PcrLimits& limits) {
    recompute();
    for (;;) {
      const ProductSums sum = sums(!s.fresh);
      decide(s, sum, limits);
      if (s.action == PcrAction::kFormDelta) take_delta(s, sum, delta());
      if (s.save_best) best = x;
      if (s.action == PcrAction::kStop) break;
      if (s.action == PcrAction::kRecompute) {
        recompute();
        continue;
      }
      for (std::size_t i = 0; i < 2; ++i) {
        p[i] = z[i] + (s.new_direction ? 0.0 : s.beta * p[i]);
        q[i] = w[i] + (s.new_direction ? 0.0 : s.beta * q[i]);
        x[i] += s.alpha * p[i];
        z[i] -= s.alpha * q[i];
      }
    }
    if (s.restore_best) x = best;
    return s.end;
  }
};

TEST(PcrRecurrence, SolvesTwoUnknownsInTwoSteps) {
  Pair pair{{1.0, 4.0}, {3.0, 8.0}};

  EXPECT_EQ(pair.run(kLimits), PcrEnd::kConverged);

  EXPECT_EQ(pair.s.iteration, 2);
  EXPECT_NEAR(pair.x[0], 3.0, 1e-12);
  EXPECT_NEAR(pair.x[1], 2.0, 1e-12);
  EXPECT_TRUE(pair.s.fresh) << "the claim is checked by a residual computed from x";
}

TEST(PcrRecurrence, EndsWithLeastSquaresIfTheRightHandSideIsNotInTheRange) {
  Pair pair{{2.0, 0.0}, {3.0, 8.0}};

  EXPECT_EQ(pair.run(kLimits), PcrEnd::kLeastSquares);

  EXPECT_NEAR(pair.x[0], 1.5, 1e-12);
}

TEST(PcrRecurrence, StopsAtTheLimitAndAtNegativeCurvature) {
  Pair limited{{1.0, 4.0}, {3.0, 8.0}};
  EXPECT_EQ(limited.run({.target = 1e-12, .least_squares = 1e-12, .max_iterations = 1}),
            PcrEnd::kLimit);
  EXPECT_EQ(limited.s.iteration, 1);

  Pair negative{{-1.0, -4.0}, {3.0, 8.0}};
  EXPECT_EQ(negative.run(kLimits), PcrEnd::kIndefinite);
  EXPECT_EQ(negative.s.iteration, 0);
}

TEST(PcrRecurrence, ReturnsTheBestIterateAfterANumberThatIsNotFinite) {
  PcrState s{};
  decide(s, {.x_y = 1.0, .y_Py = 1.0, .r_r = 1.0, .r_x = 1.0}, kLimits);
  ASSERT_EQ(s.action, PcrAction::kStep);

  decide(s, {.x_y = std::numeric_limits<double>::quiet_NaN(), .y_Py = 1.0, .r_r = 1.0}, kLimits);

  EXPECT_EQ(s.action, PcrAction::kStop);
  EXPECT_EQ(s.end, PcrEnd::kBreakdown);
  EXPECT_TRUE(s.restore_best);
}

TEST(PcrRecurrence, AsksForDeltaWhereItsTermsCancel) {
  PcrState s{};
  const ProductSums first{.x_y = 1.0, .y_Py = 1.0, .r_r = 1.0, .r_x = 1.0};
  decide(s, first, kLimits);
  EXPECT_EQ(s.alpha, 1.0);
  ProductSums second = first;  // beta = 1: delta = 1 - 2 + 1
  second.y_Pq = -1.0;
  second.q_Pq = 1.0;

  decide(s, second, kLimits);
  ASSERT_EQ(s.action, PcrAction::kFormDelta);
  take_delta(s, second, 0.25);

  EXPECT_EQ(s.action, PcrAction::kStep);
  EXPECT_EQ(s.alpha, 4.0);
  EXPECT_EQ(s.iteration, 2);
}

TEST(PcrRecurrence, StopsWhenRestartsNoLongerHelp) {
  PcrState s{};
  const ProductSums claim{.x_y = 1.0, .y_Py = 1.0, .r_r = 1e-30, .r_x = 1.0};
  const ProductSums denied{.x_y = 1.0, .y_Py = 1.0, .r_r = 1.0, .r_x = 1.0};
  decide(s, denied, kLimits);
  for (int restart = 0; restart < 2; ++restart) {
    ASSERT_EQ(s.action, PcrAction::kStep);
    decide(s, claim, kLimits);
    ASSERT_EQ(s.action, PcrAction::kRecompute);
    decide(s, denied, kLimits);
  }
  EXPECT_EQ(s.end, PcrEnd::kRoundingReached) << "the second time |r| was what it was";
}

}  // namespace
}  // namespace nsn
