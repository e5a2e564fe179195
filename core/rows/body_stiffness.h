/// Geometric stiffness of rows between bodies on any device: K = d(J^T r)/dq of single nodes.
#pragma once

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/math3.h"

namespace nsn {

/// K of a body's rotation for an impulse F at arm rho that turns with the body:
///   K = sym(rho F^T) - (F . rho) I
NSN_FUNCTION Mat3 arm_stiffness(const Vec3& rho, const Vec3& F) {
  Mat3 K = symmetric_outer(rho, F);
  const double trace = dot(F, rho);
  for (int i = 0; i < 3; ++i) K(i, i) -= trace;
  return K;
}

}  // namespace nsn
