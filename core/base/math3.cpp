#include "nsn/core/base/math3.h"

#include <algorithm>

#include "nsn/core/base/rotation_kernels.h"
#include "nsn/core/base/symmetric_kernels.h"

namespace nsn {

double spectral_norm(const Mat3& A) {
  const double* const a = A.a;
  // C = A^T A; its largest eigenvalue by the trigonometric formula for symmetric 3x3 matrices.
  const double c00 = a[0] * a[0] + a[3] * a[3] + a[6] * a[6];
  const double c11 = a[1] * a[1] + a[4] * a[4] + a[7] * a[7];
  const double c22 = a[2] * a[2] + a[5] * a[5] + a[8] * a[8];
  const double c01 = a[0] * a[1] + a[3] * a[4] + a[6] * a[7];
  const double c02 = a[0] * a[2] + a[3] * a[5] + a[6] * a[8];
  const double c12 = a[1] * a[2] + a[4] * a[5] + a[7] * a[8];
  const double mean = (c00 + c11 + c22) / 3.0;
  const double d0 = c00 - mean;
  const double d1 = c11 - mean;
  const double d2 = c22 - mean;
  const double off = c01 * c01 + c02 * c02 + c12 * c12;
  const double p = std::sqrt((d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) / 6.0);
  if (!(p > 0.0)) return std::sqrt(std::max(mean, 0.0));
  const double det =
      d0 * (d1 * d2 - c12 * c12) - c01 * (c01 * d2 - c12 * c02) + c02 * (c01 * c12 - d1 * c02);
  const double cosine = std::clamp(0.5 * det / (p * p * p), -1.0, 1.0);
  return std::sqrt(std::max(mean + 2.0 * p * std::cos(std::acos(cosine) / 3.0), 0.0));
}

SymmetricEigen symmetric_eigen(const Mat3& A) {
  return symmetric_kernels::eigen(A);
}

bool positive_definite(const Mat3& A) {
  if (symmetric_kernels::clearly_positive_definite(A)) return true;
  const Vec3 values = symmetric_eigen(A).values;
  return values[0] > 0.0 && values[1] > 0.0 && values[2] > 0.0;
}

Mat3 positive_part(const Mat3& A) {
  return symmetric_kernels::positive_part(A);
}

Quaternion normalized(const Quaternion& q) {
  return rotation_kernels::unit_length(q);
}

Quaternion rotation_exp(const Vec3& v) {
  return rotation_kernels::exp(v);
}

TangentFrame tangent_frame(const Vec3& n) {
  // Branch on the hemisphere so that the denominator stays at least 1.
  const double sign = n[2] >= 0.0 ? 1.0 : -1.0;
  const double a = -1.0 / (sign + n[2]);
  const double b = n[0] * n[1] * a;
  return {{1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]},
          {b, sign + n[1] * n[1] * a, -n[1]}};
}

}  // namespace nsn
