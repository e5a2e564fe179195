#include "nsn/core/elastic/signed_svd.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace nsn {
namespace {

// A rotation from three Euler angles.
Mat3 rotation(double a, double b, double c) {
  const Mat3 X = {{1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a)}};
  const Mat3 Y = {{std::cos(b), 0, std::sin(b), 0, 1, 0, -std::sin(b), 0, std::cos(b)}};
  const Mat3 Z = {{std::cos(c), -std::sin(c), 0, std::sin(c), std::cos(c), 0, 0, 0, 1}};
  return X * (Y * Z);
}

Mat3 random_rotation(std::mt19937& random) {
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  const double a = angle(random);
  const double b = angle(random);
  return rotation(a, b, angle(random));
}

// All invariants at once; the worst error relative to |F|, or to 1 for the rotations.
// 4e-15 is some 18 units of rounding: a dozen rotations of three columns, each a few operations.
void expect_valid(const Mat3& F, const std::string& what) {
  const SignedSvd svd = signed_svd(F);
  ASSERT_TRUE(all_finite(svd.U) && all_finite(svd.s) && all_finite(svd.V)) << what;
  const double scale = std::max(max_abs(F), 1e-300);
  EXPECT_LE(max_abs(svd.U * diagonal(svd.s) * transpose(svd.V) - F), 4e-15 * scale) << what;
  EXPECT_LE(max_abs(transpose(svd.U) * svd.U - identity<3>()), 4e-15) << what;
  EXPECT_LE(max_abs(transpose(svd.V) * svd.V - identity<3>()), 4e-15) << what;
  EXPECT_NEAR(determinant(svd.U), 1.0, 1e-14) << what;
  EXPECT_NEAR(determinant(svd.V), 1.0, 1e-14) << what;
  EXPECT_GE(svd.s[0], svd.s[1]) << what;
  EXPECT_GE(svd.s[1], std::fabs(svd.s[2])) << what;
}

TEST(SignedSvd, RandomMatricesOfEveryScale) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 60000; ++trial) {
    Mat3 F;
    for (double& x : F.a) x = normal(random);
    F *= std::pow(10.0, trial % 400 - 200);
    expect_valid(F, "random " + std::to_string(trial));
    if (HasFailure()) return;
  }
}

TEST(SignedSvd, PrescribedStretchesComeBack) {
  const std::vector<Vec3> cases = {vec3(1, 1, 1),         vec3(1, 1, -1),
                                   vec3(2, 2, 1),         vec3(2, 1, 1),
                                   vec3(3, 2, 0),         vec3(3, 0, 0),
                                   vec3(2, 1, -1),        vec3(2, 2, -2),
                                   vec3(1, 1e-8, 1e-8),   vec3(1, 1e-8, 0),
                                   vec3(1, 1e-17, 0),     vec3(1, 1, -1e-16),
                                   vec3(1, 1e-9, -1e-9),  vec3(1 + 1e-9, 1, 1 - 1e-9),
                                   vec3(1e100, 1, 1e-100)};
  std::mt19937 random(2);
  for (const Vec3& s : cases) {
    for (int trial = 0; trial < 2000; ++trial) {
      const Mat3 F = random_rotation(random) * diagonal(s) * transpose(random_rotation(random));
      const std::string what =
          "s = " + std::to_string(s[0]) + " " + std::to_string(s[1]) + " " + std::to_string(s[2]);
      expect_valid(F, what);
      const SignedSvd svd = signed_svd(F);
      // Forming F rounds it by 1e-16 |F|, which moves a singular value by as much.
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(svd.s[k], s[k], 4e-15 * s[0]) << what;
      if (HasFailure()) return;
    }
  }
}

TEST(SignedSvd, SmallValuesKeepTheirDigits) {
  // Columns of very different length: one-sided Jacobi resolves each to relative accuracy.
  const Mat3 F = rotation(0.3, -1.2, 2.1) * diagonal(vec3(1, 1e-6, 1e-12));

  const SignedSvd svd = signed_svd(F);

  EXPECT_NEAR(svd.s[1] / 1e-6, 1.0, 1e-14);
  EXPECT_NEAR(svd.s[2] / 1e-12, 1.0, 1e-14);
}

TEST(SignedSvd, RestReflectionAndZero) {
  const SignedSvd rest = signed_svd(identity<3>());
  EXPECT_EQ(max_abs(rest.U - identity<3>()), 0.0);
  EXPECT_EQ(max_abs(rest.V - identity<3>()), 0.0);

  expect_valid(diagonal(vec3(-1, 1, 1)), "reflection");
  EXPECT_EQ(signed_svd(diagonal(vec3(-1, 1, 1))).s[2], -1.0);

  const SignedSvd zero = signed_svd(Mat3{});
  EXPECT_EQ(max_abs(zero.s), 0.0);
  EXPECT_EQ(max_abs(zero.U - identity<3>()), 0.0);
}

TEST(SignedSvd, FlatAndThreadLikeMatrices) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 2000; ++trial) {
    Mat3 flat;
    for (double& x : flat.a) x = normal(random);
    for (int i = 0; i < 3; ++i) flat(i, 2) = flat(i, 0) - 2.0 * flat(i, 1);
    Mat3 thread;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) thread(i, j) = flat(i, 0) * (j + 1);
    }
    Mat3 repeated;
    for (int i = 0; i < 3; ++i) repeated(i, trial % 3) = flat(i, 0);
    expect_valid(flat, "flat");
    expect_valid(thread, "thread");
    expect_valid(repeated, "one column");
    if (HasFailure()) return;
  }
}

TEST(SignedSvd, ExtremeMagnitudes) {
  for (const double scale : {1e-310, 1e-200, 1e200, 1e308}) {
    Mat3 F = {{0.3, -0.2, 0.9, 0.1, 0.8, -0.5, 0.7, 0.6, 0.4}};
    F *= scale;
    const SignedSvd svd = signed_svd(F);
    const SignedSvd unit = signed_svd({{0.3, -0.2, 0.9, 0.1, 0.8, -0.5, 0.7, 0.6, 0.4}});
    // A denormal F has fewer digits: 1e-310 keeps 13.
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(svd.s[k] / scale, unit.s[k], 1e-12) << scale;
  }
}

TEST(SignedSvd, NotFiniteIsReportedInTheStretches) {
  Mat3 F = identity<3>();
  F(1, 2) = INFINITY;
  EXPECT_TRUE(std::isnan(signed_svd(F).s[0]));
  F(1, 2) = NAN;
  EXPECT_TRUE(std::isnan(signed_svd(F).s[2]));
}

TEST(SignedSvd, StretchesAreContinuousThroughInversionAndCoincidence) {
  // F(t) passes through det F = 0 and through coincident stretches; |s(t+d) - s(t)| <= |F(t+d) -
  // F(t)|.
  std::mt19937 random(5);
  const Mat3 A = random_rotation(random);
  const Mat3 B = random_rotation(random);
  Vec3 last = signed_svd(A * diagonal(vec3(1, 1, 1)) * B).s;
  for (int i = 1; i <= 2000; ++i) {
    const double t = i * 1e-3;
    const Vec3 s = signed_svd(A * diagonal(vec3(1 + t * (1 - t), 1, 1 - t)) * B).s;
    EXPECT_LE(max_abs(s - last), 4e-3) << t;
    last = s;
  }
}

}  // namespace
}  // namespace nsn
