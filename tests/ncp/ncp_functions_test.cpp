// Minimum map and Fischer-Burmeister: complementarity, gradients, accuracy.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "nsn/ncp/fischer_burmeister.h"
#include "nsn/ncp/minimum_map.h"

namespace nsn::ncp {
namespace {

constexpr double kSweep[] = {-1e3, -2.0, -1.0, -1e-6, 1e-6, 0.5, 1.0, 3.0, 1e4};

// Central difference with a step relative to the size of the arguments, as the functions are
// homogeneous of degree one: truncation (1e-6)^2, rounding 1e-16 / 1e-6, both below 1e-8.
template <class Function>
void expect_gradient_matches(const Function& f, double a, double b) {
  const double step = 1e-6 * std::max(std::abs(a), std::abs(b));
  const auto at = f(a, b);

  const double d_a = (f(a + step, b).phi - f(a - step, b).phi) / (2 * step);
  const double d_b = (f(a, b + step).phi - f(a, b - step).phi) / (2 * step);

  EXPECT_NEAR(at.d_a, d_a, 1e-8) << a << " " << b;
  EXPECT_NEAR(at.d_b, d_b, 1e-8) << a << " " << b;
}

TEST(MinimumMap, GradientMatchesFiniteDifferenceAwayFromItsKink) {
  for (const double a : kSweep) {
    for (const double b : kSweep) {
      if (a != b) expect_gradient_matches(MinimumMap{}, a, b);
    }
  }
}

TEST(MinimumMap, TakesTheActiveBranchOnItsKink) {
  const auto at = MinimumMap{}(2.0, 2.0);

  EXPECT_EQ(at.phi, 2.0);
  EXPECT_EQ(at.d_a, 1.0);
  EXPECT_EQ(at.d_b, 0.0);
}

TEST(FischerBurmeister, GradientMatchesFiniteDifference) {
  for (const double a : kSweep) {
    for (const double b : kSweep) expect_gradient_matches(FischerBurmeister{}, a, b);
  }
}

TEST(FischerBurmeister, VanishesExactlyOnTheComplementarySet) {
  const FischerBurmeister fb;

  for (const double x : {0.0, 1e-300, 1e-8, 1.0, 1e150}) {
    EXPECT_EQ(fb(x, 0.0).phi, 0.0);
    EXPECT_EQ(fb(0.0, x).phi, 0.0);
  }
  EXPECT_GT(fb(1.0, 1e-12).phi, 0.0);
  EXPECT_LT(fb(1.0, -1e-12).phi, 0.0);
  EXPECT_LT(fb(-1.0, -1.0).phi, 0.0);
}

TEST(FischerBurmeister, OffersThreeGradientsAtTheOrigin) {
  const auto inactive = FischerBurmeister{Origin::kInactive}(0.0, 0.0);
  const auto active = FischerBurmeister{Origin::kActive}(0.0, 0.0);
  const auto symmetric = FischerBurmeister{Origin::kSymmetric}(0.0, 0.0);

  EXPECT_EQ(inactive.d_a, 0.0);
  EXPECT_EQ(inactive.d_b, 1.0);
  EXPECT_EQ(active.d_a, 1.0);
  EXPECT_EQ(active.d_b, 0.0);
  EXPECT_EQ(symmetric.d_a, symmetric.d_b);
  // Every element of the generalised gradient has (1 - alpha)^2 + (1 - beta)^2 <= 1.
  EXPECT_NEAR(2 * std::pow(1 - symmetric.d_a, 2), 1.0, 1e-15);
}

/// Largest relative error against long double over log-uniform arguments of both signs.
template <class Real>
double worst_relative_error() {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12.0, 12.0);
  const FischerBurmeister fb;
  double worst = 0.0;
  for (int k = 0; k < 200000; ++k) {
    const auto draw = [&] {
      const double size = std::pow(10.0, exponent(random));
      return static_cast<Real>(random() % 2 == 0 ? size : -size);
    };
    const Real a = draw();
    const Real b = draw();
    const auto got = fb(a, b);
    const auto exact = fb(static_cast<long double>(a), static_cast<long double>(b));
    const auto error = [](Real x, long double y) {  // where y is a normal number of the type
      const bool tiny = std::abs(y) < static_cast<long double>(std::numeric_limits<Real>::min());
      return tiny ? 0.0 : static_cast<double>(std::abs((static_cast<long double>(x) - y) / y));
    };
    worst = std::max(
        {worst, error(got.phi, exact.phi), error(got.d_a, exact.d_a), error(got.d_b, exact.d_b)});
  }
  return worst;
}

// A handful of roundings of 6e-8 (float) and 1.1e-16 (double) each: far inside the bounds asked
// for.
TEST(FischerBurmeister, FloatIsAccurateToOneMillionth) {
  EXPECT_LE(worst_relative_error<float>(), 1e-6);
}
TEST(FischerBurmeister, DoubleIsAccurateTo1e14) {
  EXPECT_LE(worst_relative_error<double>(), 1e-14);
}

}  // namespace
}  // namespace nsn::ncp
