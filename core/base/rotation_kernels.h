/// Rotations as inline functions, for what turns many bodies at once (core/base/math3.h has the
/// same as plain functions): numbers stay in registers from the angle to the matrix.
#pragma once

#include <cmath>

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/math3.h"

namespace nsn::rotation_kernels {

NSN_INLINE Quaternion unit_length(const Quaternion& q) {
  const double s = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// exp(v / 2): the rotation by |v| radians about v.
NSN_INLINE Quaternion exp(const Vec3& v) {
  const double x = 0.25 * dot(v, v);
  double c;
  double s;  // sin(a/2) / a, with x = (a/2)^2
  if (x < 0.01) {
    // Series; what is left out is below rounding.
    c = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0)));
    s = 0.5 * (1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0))));
  } else {
    const double half = std::sqrt(x);
    c = std::cos(half);
    s = 0.5 * std::sin(half) / half;
  }
  return unit_length({c, s * v[0], s * v[1], s * v[2]});
}

}  // namespace nsn::rotation_kernels
