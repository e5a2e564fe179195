/// Value and gradient of an NCP function phi(a, b), and the few scalar helpers of this folder.
///
/// An NCP function vanishes exactly where 0 <= a, 0 <= b and a b = 0. In a time step a = C_n / h is
/// the gap and b = rho x the scaled impulse of a contact, both in m/s.
#pragma once

#include <cmath>

#include "nsn/ncp/function.h"

namespace nsn::ncp {

template <class Real>
struct NcpValue {
  Real phi;  ///< phi(a, b)
  Real d_a;  ///< d phi / d a
  Real d_b;  ///< d phi / d b
};

/// sqrt(a^2 + b^2) without overflow or underflow, to two units in the last place.
template <class Real>
NSN_FUNCTION Real hypotenuse(Real a, Real b) {
  const Real x = a < Real(0) ? -a : a;
  const Real y = b < Real(0) ? -b : b;
  const Real large = x > y ? x : y;
  const Real small = x > y ? y : x;
  if (!(large > Real(0))) return large;
  const Real q = small / large;
  return large * std::sqrt(Real(1) + q * q);
}

}  // namespace nsn::ncp
