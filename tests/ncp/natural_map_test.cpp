// The natural map: projections, zeros, errors, and derivatives in each region.
#include "nsn/ncp/natural_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace nsn::ncp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Point {
  double x[3];
  double u[3];
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }

 private:
  std::mt19937 engine_;
};

double distance(const double* a, const double* b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(ProjectOnCone, GivesTheNearestPointOfTheCone) {
  Random random(1);
  for (int k = 0; k < 2000; ++k) {
    const double mu = random(0.0, 1.5);
    const double z[3] = {random(-1, 1), random(-1, 1), random(-1, 1)};
    double p[3];
    project_on_cone(z, mu, p);
    ASSERT_LE(std::hypot(p[1], p[2]), mu * p[0] + 1e-15);
    double again[3];
    project_on_cone(p, mu, again);
    ASSERT_LE(distance(p, again), 1e-15);
    // No other point of the cone is nearer.
    const double n = random(0, 2);
    const double angle = random(0, 7);
    const double t = mu * n * random(0, 1);
    const double other[3] = {n, t * std::cos(angle), t * std::sin(angle)};
    ASSERT_LE(distance(z, p), distance(z, other) + 1e-15);
  }
}

TEST(ProjectOnCone, WithoutFrictionIsTheNormalHalfLine) {
  const double z[3] = {-1.0, 0.0, 0.0};
  double p[3];
  project_on_cone(z, 0.0, p);
  EXPECT_EQ(p[0], 0.0);
}

TEST(ClipToCone, KeepsTheNormalImpulseAndTheDirection) {
  double x[3] = {2.0, 3.0, -4.0};
  clip_to_cone(0.5, x);
  EXPECT_EQ(x[0], 2.0);
  EXPECT_NEAR(x[1], 0.6, 1e-15);
  EXPECT_NEAR(x[2], -0.8, 1e-15);
  double open[3] = {-1.0, 1.0, 1.0};
  clip_to_cone(0.5, open);
  for (const double value : open) EXPECT_EQ(value, 0.0);
}

TEST(Clip, KeepsWhatIsNotANumber) {
  EXPECT_EQ(clip(3.0, -1.0, 2.0), 2.0);
  EXPECT_EQ(clip(-3.0, -1.0, 2.0), -1.0);
  EXPECT_EQ(clip(0.5, -1.0, 2.0), 0.5);
  EXPECT_TRUE(std::isnan(clip(std::nan(""), -1.0, 2.0)));
}

// Solutions of one contact by hand, mu = 0.5: open, stick, slip.
constexpr Point kSolutions[] = {
    {{0.0, 0.0, 0.0}, {0.3, 1.0, -2.0}},
    {{2.0, 0.5, -0.25}, {0.0, 0.0, 0.0}},
    {{2.0, 0.6, 0.8}, {0.0, -1.5, -2.0}},
};

TEST(NaturalMap, VanishesAtSolutionsOfAContact) {
  for (const Point& at : kSolutions) {
    for (const double rho : {0.01, 1.0, 300.0}) {
      double map[3];
      natural_map(at.x, at.u, 0.5, rho, map);
      for (const double value : map) EXPECT_NEAR(value, 0.0, 1e-13 * rho);
      const ContactError error = contact_error(at.x, at.u, 0.5, rho, rho);
      EXPECT_EQ(error.normal, 0.0);
      EXPECT_NEAR(error.friction, 0.0, 1e-14 * rho);
    }
  }
}

TEST(NaturalMap, VanishesOnAnOpenFrictionlessContact) {
  const double r[3] = {0.0, 0.0, 0.0};
  const double u[3] = {2.0, 0.0, 0.0};  // separating
  double map[3] = {1.0, 1.0, 1.0};

  natural_map(r, u, 0.0, 0.5, map);

  for (const double component : map) EXPECT_EQ(component, 0.0);
}

TEST(NaturalMap, DoesNotVanishElsewhere) {
  const Point wrong[] = {
      {{0.1, 0.0, 0.0}, {0.3, 0.0, 0.0}},   // pushes although it opens
      {{0.0, 0.0, 0.0}, {-0.3, 0.0, 0.0}},  // penetrates
      {{2.0, 0.5, 0.0}, {0.0, -1.0, 0.0}},  // slips inside the cone
      {{2.0, 1.0, 0.0}, {0.0, 1.0, 0.0}},   // pushes along the slip
      {{2.0, 1.5, 0.0}, {0.0, -1.0, 0.0}},  // outside the cone
      {{-1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},  // pulls
  };
  for (const Point& at : wrong) {
    double map[3];
    natural_map(at.x, at.u, 0.5, 1.0, map);
    EXPECT_GT(std::hypot(map[0], map[1], map[2]), 0.05);
    const ContactError error = contact_error(at.x, at.u, 0.5, 1.0, 1.0);
    EXPECT_GT(std::max(error.normal, error.friction), 0.05);
  }
}

TEST(NaturalMap, OfABoxRowVanishesExactlyAtItsSolutions) {
  for (const double rho : {0.01, 1.0, 300.0}) {
    EXPECT_EQ(natural_map(0.2, 0.0, -1.0, 1.0, rho), 0.0);
    EXPECT_EQ(natural_map(-1.0, 3.0, -1.0, 1.0, rho), 0.0);
    EXPECT_EQ(natural_map(1.0, -3.0, -1.0, 1.0, rho), 0.0);
    EXPECT_EQ(natural_map(7.0, 0.0, -kInf, kInf, rho), 0.0);
  }
  EXPECT_EQ(natural_map(0.2, 0.1, -1.0, 1.0, 1.0), 0.1);        // inside: the velocity
  EXPECT_EQ(natural_map(0.5, -9.0, -1.0, 1.0, 2.0), -1.0);      // 2 (0.5 - 1)
  EXPECT_EQ(natural_map(1e9, 1e-20, -kInf, kInf, 1.0), 1e-20);  // without cancellation
}

// ---- Derivatives. linearise_...() promises: with velocities u + V d the step d = d0 + C z with
// R^T V d + E z = b solves phi + phi'(d) = 0. V is any matrix; here a random positive definite one.

struct Linearised {
  double phi[3];
  double d0[3];
  double b[3];
  BlockLinearization rows;
  LinearisedBlock out() { return {phi, d0, b, rows}; }
};

/// Solves the 3x3 system of one block for z by Gaussian elimination and returns d.
void step_of(Linearised& at, const double (&V)[9], double* d) {
  double A[9] = {};
  double rhs[3];
  double moved[3];
  double Vd[3] = {};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) Vd[r] += V[3 * r + c] * at.d0[c];
  }
  restrict_to(at.rows, Vd, moved);
  for (int c = 0; c < 3; ++c) {
    double z[3] = {};
    double e[3] = {};
    double Ve[3] = {};
    double column[3];
    z[c] = (at.rows.active >> c & 1) != 0 ? 1.0 : 0.0;
    expand(at.rows, z, e);
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) Ve[r] += V[3 * r + k] * e[k];
    }
    restrict_to(at.rows, Ve, column);
    for (int r = 0; r < 3; ++r) A[3 * r + c] = column[r];
    A[4 * c] += z[c] != 0.0 ? at.rows.compliance[c] : 1.0;
    rhs[c] = z[c] != 0.0 ? at.b[c] - moved[c] : 0.0;
  }
  for (int k = 0; k < 3; ++k) {
    for (int i = k + 1; i < 3; ++i) {
      const double factor = A[3 * i + k] / A[4 * k];
      for (int j = k; j < 3; ++j) A[3 * i + j] -= factor * A[3 * k + j];
      rhs[i] -= factor * rhs[k];
    }
  }
  for (int k = 2; k >= 0; --k) {
    for (int j = k + 1; j < 3; ++j) rhs[k] -= A[3 * k + j] * rhs[j];
    rhs[k] /= A[4 * k];
  }
  std::copy_n(at.d0, 3, d);
  expand(at.rows, rhs, d);
}

enum class Region { kOpen, kStick, kSlip };

Region region_of(const Linearised& at) {
  if (at.rows.active == 0) return Region::kOpen;
  return at.rows.rotated ? Region::kSlip : Region::kStick;
}

class ContactDerivative : public ::testing::TestWithParam<NormalMap> {};

TEST_P(ContactDerivative, MatchesFiniteDifferencesInEveryRegion) {
  Random random(5);
  int count[3] = {};
  for (int trial = 0; trial < 3000; ++trial) {
    const double mu = random(0.2, 1.0);
    const Point at{{random(-0.5, 1), random(-0.5, 0.5), random(-0.5, 0.5)},
                   {random(-0.5, 0.5), random(-0.3, 0.3), random(-0.3, 0.3)}};
    double V[9];
    for (double& entry : V) entry = random(-0.2, 0.2);
    for (int k = 0; k < 3; ++k) V[4 * k] += 1.0;
    Linearised here;
    linearise_contact(GetParam(), at.x, at.u, mu, false, false, here.out());
    double d[3];
    step_of(here, V, d);
    const double size = std::hypot(d[0], d[1], d[2]);
    if (size > 20.0) continue;  // nearly singular: the difference below would be all rounding

    // phi(x + t d, u + t V d) by central differences, t = 1e-7: rounding 1e-9, and points closer to
    // a kink than t size are left out.
    const auto map_at = [&](double t, Linearised& there) {
      Point p = at;
      for (int r = 0; r < 3; ++r) {
        p.x[r] += t * d[r];
        for (int c = 0; c < 3; ++c) p.u[r] += t * V[3 * r + c] * d[c];
      }
      linearise_contact(GetParam(), p.x, p.u, mu, false, false, there.out());
    };
    const double t = 1e-7;
    Linearised ahead;
    Linearised behind;
    map_at(t, ahead);
    map_at(-t, behind);
    const Region region = region_of(here);
    if (region_of(ahead) != region || region_of(behind) != region) continue;
    if (GetParam() == NormalMap::kFischerBurmeister &&
        (at.x[0] * (at.x[0] + t * d[0]) < 0.0 || here.rows.compliance[0] > 1e3)) {
      continue;  // the friction bound has a kink at x_N = 0; slopes below the floor are raised
    }
    ++count[static_cast<int>(region)];
    for (int k = 0; k < 3; ++k) {
      const double derivative = (ahead.phi[k] - behind.phi[k]) / (2.0 * t);
      ASSERT_NEAR(derivative, -here.phi[k], 1e-6 * std::max(1.0, size * size))
          << "region " << static_cast<int>(region) << " row " << k;
    }
  }
  if (GetParam() == NormalMap::kMinimum) {
    EXPECT_GT(count[0], 100);
  }
  EXPECT_GT(count[1], 100);
  EXPECT_GT(count[2], 100);
}

INSTANTIATE_TEST_SUITE_P(Maps, ContactDerivative,
                         ::testing::Values(NormalMap::kMinimum, NormalMap::kFischerBurmeister));

TEST(ContactLinearisation, HasTheTableOfStates) {
  Linearised at;
  const double resting[3] = {1.0, 0.1, 0.0};
  const double still[3] = {0.0, 0.0, 0.0};
  linearise_contact(NormalMap::kMinimum, resting, still, 0.5, false, false, at.out());
  EXPECT_EQ(at.rows.active, 7);
  EXPECT_FALSE(at.rows.rotated);
  linearise_contact(NormalMap::kMinimum, resting, still, 0.5, true, false, at.out());
  EXPECT_EQ(at.rows.active, 3);

  const double sliding[3] = {0.0, -2.0, 0.0};
  linearise_contact(NormalMap::kMinimum, resting, sliding, 0.5, false, false, at.out());
  EXPECT_EQ(at.rows.active, 5);
  EXPECT_TRUE(at.rows.rotated);
  EXPECT_EQ(at.rows.coupling, 0.5);
  linearise_contact(NormalMap::kMinimum, resting, sliding, 0.5, false, true, at.out());
  EXPECT_EQ(at.rows.coupling, 0.0);

  const double leaving[3] = {2.0, 0.0, 0.0};
  linearise_contact(NormalMap::kMinimum, resting, leaving, 0.5, false, false, at.out());
  EXPECT_EQ(at.rows.active, 0);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(at.d0[k], -resting[k]);
}

TEST(BoxLinearisation, MovesToTheBoundOrAsksForNoVelocity) {
  for (const double rho : {1.0, 4.0}) {
    Linearised at;
    at.out().clear();
    linearise_box(0, 0.2, 0.1, -1.0, 1.0, rho, at.out());   // inside
    linearise_box(1, 0.2, 8.0, -1.0, 1.0, rho, at.out());   // at the lower bound
    linearise_box(2, 0.2, -8.0, -1.0, 1.0, rho, at.out());  // at the upper bound
    EXPECT_EQ(at.rows.active, 1);
    EXPECT_EQ(at.phi[0], 0.1);
    EXPECT_EQ(at.b[0], -0.1);
    EXPECT_EQ(at.phi[1], rho * 1.2);
    EXPECT_EQ(at.d0[1], -1.2);
    EXPECT_EQ(at.phi[2], rho * (0.2 - 1.0));
    EXPECT_EQ(at.d0[2], 1.0 - 0.2);
    for (int k = 0; k < 3; ++k) {  // one law: the linearisation's value is the map
      const double u[3] = {0.1, 8.0, -8.0};
      EXPECT_EQ(at.phi[k], natural_map(0.2, u[k], -1.0, 1.0, rho));
    }
  }
}

TEST(BoxLinearisation, OfEqualBoundsIsThatValue) {
  Linearised at;
  at.out().clear();
  linearise_box(0, 0.2, 0.3, 0.5, 0.5, 1.0, at.out());
  EXPECT_EQ(at.rows.active, 0);
  EXPECT_EQ(0.2 + at.d0[0], 0.5);
}

TEST(RowScaled, DividesByTheSlopeDownToAFloor) {
  const RowScaled row = row_scaled({0.3, 0.5, 0.25}, 2.0);
  EXPECT_EQ(row.compliance, 1.0);
  EXPECT_EQ(row.residual, 0.6);
  EXPECT_EQ(row_scaled({1e-4, 1e-9, 1.0}, 1.0).residual, 1.0);
}

TEST(ContactError, IsWhatTheProjectionsMoveTimesTheScales) {
  // A bound of 1 kg m/s; x_T - u_T / rho_T = (-2, 0) is 1 outside it.
  const double x[3] = {2.0, 0.0, 0.0};
  const double sliding[3] = {0.25, 4.0, 0.0};

  const ContactError error = contact_error(x, sliding, 0.5, 3.0, 2.0);

  EXPECT_NEAR(error.normal, 0.25, 1e-15);
  EXPECT_NEAR(error.friction, 2.0, 1e-15);
}

}  // namespace
}  // namespace nsn::ncp
