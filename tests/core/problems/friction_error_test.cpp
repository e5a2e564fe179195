// The two errors of friction problems against values worked out by hand.
#include "nsn/core/problems/friction_error.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

Vector copy(const std::vector<double>& values) {
  Vector out("v", values.size());
  for (std::size_t k = 0; k < values.size(); ++k) out(k) = values[k];
  return out;
}

/// Contacts of three rows, (n, t1, t2) each.
FrictionError error_of(const std::vector<double>& mu, const std::vector<double>& rho, double q_norm,
                       const std::vector<double>& r, const std::vector<double>& u) {
  return friction_error(3, copy(mu), copy(rho), q_norm, copy(r), copy(u));
}

TEST(FrictionError, OfAContactThatIsPushedAndStillOpens) {
  // r - u^ = (0.5, 0, 0) lies in the cone: r - Pi(r - u^) = u^.
  const FrictionError error = error_of({0.5}, {1.0}, 0.2, {1, 0, 0}, {0.5, 0, 0});
  EXPECT_DOUBLE_EQ(error.siconos, 0.5);          // over |r| = 1, the largest of |q|, |r|, |u|
  EXPECT_DOUBLE_EQ(error.unit_free, 0.5 / 0.2);  // over |q|
  EXPECT_DOUBLE_EQ(error.min_normal_velocity, 0.5);
  EXPECT_DOUBLE_EQ(error.max_cone_violation, 0.0);
  EXPECT_EQ(error.worst_contact, 0);
}

TEST(FrictionError, IsOverTheLargestOfItsThreeVectors) {
  EXPECT_DOUBLE_EQ(error_of({0.5}, {1.0}, 4.0, {1, 0, 0}, {0.5, 0, 0}).siconos, 0.125);
  EXPECT_DOUBLE_EQ(error_of({0.5}, {1.0}, 0.2, {10, 0, 0}, {0.5, 0, 0}).siconos, 0.05);
  // All of u is error here: r = 0 and r - u^ = (2, 0, 0) in the cone.
  EXPECT_DOUBLE_EQ(error_of({0.5}, {1.0}, 0.2, {0, 0, 0}, {-2, 0, 0}).siconos, 1.0);
}

TEST(FrictionError, OfAnImpulseOutsideTheCone) {
  // mu = 1, r = (0, 2, 0), u = 0: the nearest point of the cone is (1, 1, 0), sqrt(2) away, |r| = 2.
  const FrictionError error = error_of({1.0}, {1.0}, 1.0, {0, 2, 0}, {0, 0, 0});
  EXPECT_NEAR(error.siconos, std::sqrt(2.0) / 2.0, 1e-15);
  EXPECT_NEAR(error.unit_free, std::sqrt(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(error.max_cone_violation, 2.0);
  EXPECT_DOUBLE_EQ(error_of({1.0}, {1.0}, 1.0, {-3, 0, 0}, {0, 0, 0}).max_cone_violation, 3.0);
}

TEST(FrictionError, OfASlidingContactCountsTheFrictionThatIsNotThere) {
  // mu = 0.5, sticking impulse, sliding velocity 0.3 along t1: u^ = (0.15, 0.3, 0), in the cone after the step.
  const FrictionError error = error_of({0.5}, {1.0}, 1.0, {2, 0, 0}, {0, 0.3, 0});
  EXPECT_NEAR(error.siconos, 0.5 * std::sqrt(0.15 * 0.15 + 0.3 * 0.3), 1e-15);
  // Against the velocity and on the edge it is the exact answer.
  EXPECT_NEAR(error_of({0.5}, {1.0}, 1.0, {2, -1, 0}, {0, 0.3, 0}).siconos, 0.0, 1e-15);
  // Along the velocity it is none.
  EXPECT_GT(error_of({0.5}, {1.0}, 1.0, {2, 1, 0}, {0, 0.3, 0}).siconos, 0.1);
}

TEST(FrictionError, WithoutUnitsMeasuresImpulsesByTheirStiffness) {
  // A contact that should be open: r_N u_N > 0. Impulse 3 at rho = 2 is worth 6 m/s, more than u_N = 4.
  EXPECT_DOUBLE_EQ(error_of({0.5}, {2.0}, 1.0, {3, 0, 0}, {4, 0, 0}).unit_free, 4.0);
  EXPECT_DOUBLE_EQ(error_of({0.5}, {0.5}, 1.0, {3, 0, 0}, {4, 0, 0}).unit_free, 1.5);
}

TEST(FrictionError, AddsContactsInSquaresAndNamesTheWorst) {
  const FrictionError error =
      error_of({0.5, 0.5, 0.5}, {1.0, 1.0, 1.0}, 1.0, {1, 0, 0, 1, 0, 0, 1, 0, 0},
               {0.3, 0, 0, 0.4, 0, 0, -0.1, 0, 0});
  const double size = std::sqrt(3.0);
  EXPECT_NEAR(error.siconos, std::sqrt(0.09 + 0.16 + 0.01) / size, 1e-15);
  EXPECT_EQ(error.worst_contact, 1);
  EXPECT_DOUBLE_EQ(error.min_normal_velocity, -0.1);
}

TEST(ContactRho, IsTheSpectralNormOfTheDiagonalBlock) {
  std::vector<Triplet> entries;
  const double W[6][6] = {{2, 0, 0, 9, 9, 9}, {0, 5, 0, 9, 9, 9}, {0, 0, 3, 9, 9, 9},
                          {9, 9, 9, 0, 2, 0}, {9, 9, 9, 2, 0, 0}, {9, 9, 9, 0, 0, 1}};
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) entries.push_back({i, j, W[i][j]});
  }
  const Vector rho("rho", 2);
  contact_rho(csr_from_triplets(6, 6, entries), 3, rho);
  EXPECT_NEAR(rho(0), 5.0, 1e-12);
  EXPECT_NEAR(rho(1), 2.0, 1e-12);
}

}  // namespace
}  // namespace nsn
