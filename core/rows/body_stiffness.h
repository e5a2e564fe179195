/// Geometric stiffness of rows between bodies on any device: K = d(J^T r)/dxi of single nodes.
#pragma once

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/math3.h"

namespace nsn {

/// K of a body's rotation for an impulse r at an arm that turns with the body:
///   K = sym(arm r^T) - (r . arm) I
NSN_FUNCTION Mat3 arm_stiffness(const Vec3& arm, const Vec3& r) {
  Mat3 K = symmetric_outer(arm, r);
  const double trace = dot(r, arm);
  for (int i = 0; i < 3; ++i) K(i, i) -= trace;
  return K;
}

}  // namespace nsn
