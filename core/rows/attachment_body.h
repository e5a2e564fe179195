/// A particle held to a point of a body (models/rows/attachment_rows.h) on any device.
#pragma once

#include "nsn/core/rows/body_state.h"
#include "nsn/core/rows/body_stiffness.h"

namespace nsn {

/// Three values, and J of the particle and of the two nodes of the body: what Out points to.
/// A: Vec3 local; axes[3]: which rows hold.
template <class A, class Out>
NSN_INLINE void evaluate_attachment(const A& attachment, const PointState& particle,
                                    const BodyState& body, double h, const Out& out) {
  const Vec3 arm = body.R * attachment.local;
  const Vec3 between = particle.x - (body.x + arm);
  const Mat3 turning = skew(arm);  // -(w x arm)
  for (int i = 0; i < 3; ++i) {
    const bool holds = attachment.axes[static_cast<std::size_t>(i)];
    out.value[i] = holds ? between[i] / h : 0.0;
    for (int j = 0; j < 3; ++j) {
      const double on_axis = holds && i == j ? 1.0 : 0.0;
      out.J[0][3 * i + j] = on_axis;
      out.J[1][3 * i + j] = -on_axis;
      out.J[2][3 * i + j] = holds ? turning(i, j) : 0.0;
    }
  }
}

/// add(k, K): geometric stiffness of node k of the block.
template <class A, class Add>
NSN_INLINE void attachment_stiffness(const A& attachment, const BodyState& body, const Vec3& r,
                                     const Add& add) {
  if (body.dynamic) add(2, arm_stiffness(body.R * attachment.local, -r));
}

}  // namespace nsn
