/// Minimum map: phi(a, b) = min(a, b), the NCP function whose Newton method is an active-set
/// method.
///
/// On the kink a = b the active branch is taken: phi = a, gradient (1, 0).
#pragma once

#include "nsn/ncp/ncp_value.h"

namespace nsn::ncp {

struct MinimumMap {
  template <class Real>
  NSN_FUNCTION NcpValue<Real> operator()(Real a, Real b) const {
    if (a <= b) return {a, Real(1), Real(0)};
    return {b, Real(0), Real(1)};
  }
};

}  // namespace nsn::ncp
