/// Where bodies and particles are at the end of a step, for velocities that are being solved for.
#pragma once

#include "nsn/core/base/math3.h"
#include "nsn/core/base/rotation_kernels.h"

namespace nsn {

/// Pose and velocity of one body at the end of the step.
struct BodyState {
  Vec3 x;
  Mat3 R;
  Vec3 v;
  Vec3 w;
  bool dynamic = true;
  Quaternion q;  ///< of R
};

/// Position and velocity of one particle at the end of the step.
struct PointState {
  Vec3 x;
  Vec3 v;
  bool dynamic = true;
};

/// The state at x + h v, exp(h w) q.
NSN_INLINE void move_body(const Vec3& x, const Quaternion& q, double h, const Vec3& v,
                          const Vec3& w, BodyState& state) {
  state.x = x + h * v;
  state.q = rotation_kernels::exp(h * w) * q;
  state.R = rotation_matrix(state.q);
  state.v = v;
  state.w = w;
}

}  // namespace nsn
