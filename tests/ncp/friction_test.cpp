// Friction functors: W of both NCP functions, Alart-Curnier with its derivatives.
#include "nsn/ncp/friction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace nsn::ncp {
namespace {

TEST(MinimumMapFriction, IsZeroWhereSticking) {
  const MinimumMapFriction W;

  EXPECT_EQ(W(0.0, 0.3, 1.0, 2.0), 0.0);
  EXPECT_EQ(W(1.4, 0.3, 1.0, 2.0), 0.0);  // |v| = rho (F - l)
  EXPECT_NEAR(W(2.4, 0.3, 1.0, 2.0), 1.0, 1e-15);
  EXPECT_NEAR(W(4.6, 0.3, 4.0, 1.0), 0.9 / 4.0, 1e-15);
}

TEST(SmoothedFriction, IsCoulombsLawFarAboveItsSpeedAndViscousBelow) {
  const SmoothedFriction W;
  // v + W x = 0: |x| = v / W, F at large v, F v / v_s at small v.
  EXPECT_NEAR(1.0 / W(1.0, 2.0, 1e-4), 2.0, 1e-7);  // 1 - v_s^2 / (2 v^2)
  EXPECT_NEAR(1e-8 / W(1e-8, 2.0, 1e-4), 2.0 * 1e-4, 1e-11);
}

TEST(FischerBurmeisterFriction, VanishesAtTheSlipSolution) {
  const FischerBurmeisterFriction W;
  // Slip: l = F, v + W l = 0 along the line of v asks for W = v / F.
  EXPECT_NEAR(W(0.7, 2.0, 2.0, 3.0), 0.7 / 2.0, 1e-15);
}

TEST(FischerBurmeisterFriction, IsStickWithoutSlipAndForce) {
  EXPECT_EQ(FischerBurmeisterFriction{}(0.0, 0.0, 1.0, 1.0), 0.0);
}

TEST(FischerBurmeisterFriction, IsNeverNegativeNorInfinite) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-10.0, 10.0);
  const auto draw = [&] { return std::pow(10.0, exponent(random)); };
  for (int k = 0; k < 100000; ++k) {
    const double W = FischerBurmeisterFriction{}(draw(), draw(), draw(), draw());
    ASSERT_GE(W, 0.0);
    ASSERT_TRUE(std::isfinite(W));
  }
}

template <class Real>
double worst_relative_error() {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-6.0, 6.0);
  const auto draw = [&] { return static_cast<Real>(std::pow(10.0, exponent(random))); };
  double worst = 0.0;
  for (int k = 0; k < 200000; ++k) {
    const Real v = draw();
    const Real l = draw();
    const Real F = draw();
    const Real rho = draw();
    const FischerBurmeisterFriction W;
    const auto exact = W(static_cast<long double>(v), static_cast<long double>(l),
                         static_cast<long double>(F), static_cast<long double>(rho));
    // Compared where the exact value is a normal number of the type.
    if (exact <= static_cast<long double>(std::numeric_limits<Real>::min())) continue;
    const auto error = std::abs((static_cast<long double>(W(v, l, F, rho)) - exact) / exact);
    worst = std::max(worst, static_cast<double>(error));
  }
  return worst;
}

TEST(FischerBurmeisterFriction, FloatIsAccurateToOneMillionth) {
  EXPECT_LE(worst_relative_error<float>(), 1e-6);
}
TEST(FischerBurmeisterFriction, DoubleIsAccurateTo1e14) {
  EXPECT_LE(worst_relative_error<double>(), 1e-14);
}

TEST(AlartCurnier, NamesTheThreeRegions) {
  const AlartCurnier law;
  const double v[2] = {0.1, 0.0};
  const double x[2] = {0.3, 0.4};

  EXPECT_EQ(law(v, x, 0.0, 1.0).region, FrictionRegion::kOpen);
  EXPECT_EQ(law(v, x, 1.0, 1.0).region, FrictionRegion::kStick);
  EXPECT_EQ(law(v, x, 0.4, 1.0).region, FrictionRegion::kSlip);
}

TEST(AlartCurnier, CountsTheEdgeOfTheDiscAsSlip) {
  const double v[2] = {0.0, 0.0};
  const double x[2] = {0.6, 0.8};

  EXPECT_EQ(AlartCurnier{}(v, x, 1.0, 1.0).region, FrictionRegion::kSlip);
}

TEST(AlartCurnier, FullDerivativeMatchesFiniteDifference) {
  // Sweep over slip, stick and open points; central differences of step 1e-6 leave about 1e-10.
  const double mu = 0.6;
  const double rho = 1.7;
  const auto phi = [&](const double z[5], double out[2]) {
    const auto at = AlartCurnier{}(z, z + 2, mu * z[4], rho);
    const auto d = full_alart_curnier(at, z + 2, mu, rho);
    out[0] = d.phi[0];
    out[1] = d.phi[1];
  };
  for (const double normal : {-1.0, 0.5, 2.0, 10.0}) {
    for (const double angle : {0.1, 1.0, 2.5, 4.0}) {
      const double z[5] = {2 * std::cos(angle), 2 * std::sin(angle), 0.4, -0.3, normal};
      const auto d = full_alart_curnier(AlartCurnier{}(z, z + 2, mu * normal, rho), z + 2, mu, rho);
      for (int k = 0; k < 5; ++k) {
        double up[5];
        double down[5];
        std::copy(z, z + 5, up);
        std::copy(z, z + 5, down);
        up[k] += 1e-6;
        down[k] -= 1e-6;
        double high[2];
        double low[2];
        phi(up, high);
        phi(down, low);
        for (int i = 0; i < 2; ++i) {
          const double difference = (high[i] - low[i]) / 2e-6;
          const double derivative =
              k < 2 ? d.d_v[2 * i + k] : (k < 4 ? d.d_x[2 * i + k - 2] : d.d_normal[i]);
          EXPECT_NEAR(derivative, difference, 1e-8) << "normal " << normal << " k " << k;
        }
      }
    }
  }
}

TEST(AlartCurnier, HeldBoundSlipRowIsTheFullRowAcrossTheSlipDirection) {
  // Across t, phi = x - P(x - v / rho) reads: rho/kappa (1 - kappa) x_p + v_p (...) = 0, the row
  // that linearise_friction() scales to a unit coefficient of v_p.
  const double v[3] = {0.0, 1.0, 0.4};
  const double x[3] = {1.0, -0.2, 0.1};
  const double F = 0.5;
  const double rho = 2.0;
  const auto at = AlartCurnier{}(v + 1, x + 1, F, rho);
  const auto full = full_alart_curnier(at, x + 1, 0.5, rho);

  double phi[3];
  double d0[3];
  double b[3];
  BlockLinearization rows;
  const LinearisedBlock out{phi, d0, b, rows};
  out.clear();
  linearise_friction({F, 0.0, 0.0}, x, v, rho, false, false, out);

  const double p[2] = {-at.direction[1], at.direction[0]};
  const auto form = [&](const double A[4]) {
    return p[0] * (A[0] * p[0] + A[1] * p[1]) + p[1] * (A[2] * p[0] + A[3] * p[1]);
  };
  EXPECT_EQ(rows.active, 4);
  EXPECT_NEAR(rows.compliance[2], form(full.d_x) / form(full.d_v), 1e-14);
  EXPECT_NEAR(-b[2], (p[0] * full.phi[0] + p[1] * full.phi[1]) / form(full.d_v), 1e-14);
}

}  // namespace
}  // namespace nsn::ncp
