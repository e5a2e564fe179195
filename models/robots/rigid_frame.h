/// Where one frame is in another:  x_outer = position + R(rotation) x_inner.
#pragma once

#include "nsn/core/base/math3.h"

namespace nsn {

struct RigidFrame {
  Vec3 position;        ///< m
  Quaternion rotation;  ///< unit, from inner to outer axes

  Vec3 point(const Vec3& inner) const { return position + rotation_matrix(rotation) * inner; }
  Vec3 direction(const Vec3& inner) const { return rotation_matrix(rotation) * inner; }
};

/// outer o inner: first inner, then outer.
inline RigidFrame operator*(const RigidFrame& outer, const RigidFrame& inner) {
  return {outer.point(inner.position), normalized(outer.rotation * inner.rotation)};
}
inline RigidFrame inverse(const RigidFrame& f) {
  const Quaternion back = conjugate(f.rotation);
  return {-(rotation_matrix(back) * f.position), back};
}
/// The rotation whose matrix is R (orthonormal, right-handed).
Quaternion quaternion_of(const Mat3& R);
/// The rotation vector v that turns a into b, b = exp(v) a, |v| <= pi.
Vec3 turn_between(const Quaternion& a, const Quaternion& b);

}  // namespace nsn
