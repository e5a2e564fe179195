/// The inverse of a 3x3 block that should be symmetric positive definite, on the host and on
/// devices.
#pragma once

#include "nsn/ncp/function.h"

namespace nsn {

namespace block_inverse {
inline constexpr double kSmallPivot = 1e-12;
NSN_FUNCTION bool finite(double x) {
  return x - x == 0.0;
}
}  // namespace block_inverse

/// Inverse of a symmetric positive definite 3x3 block in place (its lower triangle is read); false
/// if it is not positive definite to rounding, a is then unchanged.
NSN_FUNCTION bool invert_spd_block(double* a) {
  using block_inverse::finite;
  using block_inverse::kSmallPivot;
  // a = L D L^T with unit lower triangular L
  const double d0 = a[0];
  if (!(d0 > 0.0) || !finite(1.0 / d0)) return false;
  const double l10 = a[3] / d0;
  const double l20 = a[6] / d0;
  const double d1 = a[4] - l10 * a[3];
  if (!(d1 > kSmallPivot * a[4])) return false;
  const double l21 = (a[7] - l20 * a[3]) / d1;
  const double d2 = a[8] - l20 * a[6] - l21 * l21 * d1;
  if (!(d2 > kSmallPivot * a[8])) return false;
  // L^-1 = [1; m10 1; m20 m21 1], a^-1 = L^-T D^-1 L^-1
  const double m10 = -l10;
  const double m21 = -l21;
  const double m20 = l10 * l21 - l20;
  const double e0 = 1.0 / d0;
  const double e1 = 1.0 / d1;
  const double e2 = 1.0 / d2;
  const double i00 = e0 + m10 * m10 * e1 + m20 * m20 * e2;
  const double i10 = m10 * e1 + m20 * m21 * e2;
  const double i20 = m20 * e2;
  const double i11 = e1 + m21 * m21 * e2;
  const double i21 = m21 * e2;
  if (!finite(i00 + i10 + i20 + i11 + i21 + e2)) return false;
  a[0] = i00;
  a[1] = a[3] = i10;
  a[2] = a[6] = i20;
  a[4] = i11;
  a[5] = a[7] = i21;
  a[8] = e2;
  return true;
}

/// 1 / d; false if that is no positive number, `inverse` is then 1.
NSN_FUNCTION bool invert_entry(double d, double& inverse) {
  inverse = 1.0 / d;
  if (d > 0.0 && block_inverse::finite(inverse) && inverse > 0.0) return true;
  inverse = 1.0;
  return false;
}

/// What takes the place of the inverse where there is none: that of the diagonal.
NSN_FUNCTION void invert_diagonal(double* a) {
  for (int c = 0; c < 3; ++c) {
    double inverse;
    invert_entry(a[4 * c], inverse);
    a[4 * c] = inverse;
  }
  a[1] = a[2] = a[3] = a[5] = a[6] = a[7] = 0.0;
}

}  // namespace nsn
