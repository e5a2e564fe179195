// Eigenvalues of symmetric 3x3 matrices by sign, and exponentials of small and large rotations.
#include "nsn/core/base/math3.h"

#include <cmath>

#include <gtest/gtest.h>

namespace nsn {
namespace {

Mat3 turned(const Vec3& values) {
  const Mat3 Q = rotation_matrix(rotation_exp({0.7, -1.1, 0.4}));
  const Mat3 A = Q * diagonal(values) * transpose(Q);
  return 0.5 * (A + transpose(A));
}

TEST(PositivePart, KeepsPositiveEigenvaluesAlone) {
  const double sizes[] = {-3.0, -1.0, -1e-3, -1e-9, 0.0, 1e-9, 1e-3, 1.0, 3.0};
  for (const double a : sizes) {
    for (const double b : sizes) {
      for (const double c : sizes) {
        const Vec3 kept{std::fmax(a, 0.0), std::fmax(b, 0.0), std::fmax(c, 0.0)};
        EXPECT_LE(max_abs(positive_part(turned({a, b, c})) - turned(kept)), 1e-12)
            << a << " " << b << " " << c;
      }
    }
  }
}

TEST(RotationExp, IsTheCosineAndSineOfHalfTheAngle) {
  const Vec3 axis = (1.0 / 3.0) * Vec3{1, -2, 2};
  // 0.2: where the series end.
  for (const double angle : {0.0, 1e-12, 1e-3, 0.1999, 0.2001, 1.0, 6.0}) {
    const Quaternion q = rotation_exp(angle * axis);
    EXPECT_NEAR(q.w, std::cos(0.5 * angle), 4e-16) << angle;
    EXPECT_NEAR(q.x, std::sin(0.5 * angle) * axis[0], 4e-16) << angle;
    EXPECT_NEAR(q.z, std::sin(0.5 * angle) * axis[2], 4e-16) << angle;
  }
}

}  // namespace
}  // namespace nsn
