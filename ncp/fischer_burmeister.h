/// Fischer-Burmeister function: phi(a, b) = a + b - s,  s = sqrt(a^2 + b^2).
///
///   d_a = d phi / d a = 1 - a / s,     d_b = d phi / d b = 1 - b / s
///
/// Smooth everywhere but at the origin. Each expression is evaluated in the form without
/// cancellation:
///
///   a + b > 0:  phi = 2 a b / (a + b + s)      a > 0:  d_a = b^2 / (s (s + a))
#pragma once

#include "nsn/ncp/ncp_value.h"

namespace nsn::ncp {

/// The element of the generalised gradient taken at a = b = 0.
enum class Origin {
  kInactive,   ///< (0, 1): the contact is treated as open, as in the paper
  kActive,     ///< (1, 0): the contact is treated as closed
  kSymmetric,  ///< (1 - 1/sqrt 2, 1 - 1/sqrt 2)
};

struct FischerBurmeister {
  Origin origin = Origin::kActive;

  template <class Real>
  NSN_FUNCTION NcpValue<Real> operator()(Real a, Real b) const {
    const Real s = hypotenuse(a, b);
    if (s == Real(0)) return at_origin<Real>();
    return {value(a, b, s), slope(a, b, s), slope(b, a, s)};
  }

 private:
  template <class Real>
  NSN_FUNCTION NcpValue<Real> at_origin() const {
    if (origin == Origin::kInactive) return {Real(0), Real(0), Real(1)};
    if (origin == Origin::kActive) return {Real(0), Real(1), Real(0)};
    const Real half = Real(0.2928932188134524755991556378951509607L);  // 1 - 1/sqrt(2)
    return {Real(0), half, half};
  }

  template <class Real>
  NSN_FUNCTION static Real value(Real a, Real b, Real s) {
    const Real sum = a + b;
    return sum > Real(0) ? Real(2) * (a / (sum + s)) * b : sum - s;
  }

  /// 1 - a / s
  template <class Real>
  NSN_FUNCTION static Real slope(Real a, Real b, Real s) {
    return a > Real(0) ? (b / s) * (b / (s + a)) : Real(1) - a / s;
  }
};

}  // namespace nsn::ncp
