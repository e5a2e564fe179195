/// Rolling or spinning resistance of one contact (models/rows/resistance_rows.h) on any device.
#pragma once

#include "nsn/core/rows/body_state.h"

namespace nsn {

struct ResistanceData {
  Vec3 n, t1, t2;
  double length = 0.0;
  double unit = 1.0;  ///< E of the first row, 1/(kg m^2): as large as what turns the bodies
  double normal_impulse = 0.0;  ///< R, kg m/s
  bool spins = false;           ///< else rolls
};

/// Three values, and J of the angular nodes of a and of b: what Out points to.
template <class Out>
NSN_FUNCTION void evaluate_resistance(const ResistanceData& c, const BodyState& a,
                                      const BodyState& b, const Out& out) {
  const Vec3 turning = a.w - b.w;
  const Vec3 axes[3] = {c.n, c.t1, c.t2};
  for (int i = 0; i < 3; ++i) {
    const bool holds = c.spins == (i == 0);
    out.value[i] = holds ? dot(axes[i], turning) : 0.0;
    store3(out.J[0] + 3 * i, holds ? axes[i] : Vec3{});
    store3(out.J[1] + 3 * i, holds ? -axes[i] : Vec3{});
  }
  if (!c.spins) out.value[0] = -c.unit * c.length * c.normal_impulse;
}

}  // namespace nsn
