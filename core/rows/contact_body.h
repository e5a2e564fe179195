/// One contact between two bodies (models/rows/contact_rows.h) on any device.
#pragma once

#include "nsn/core/rows/body_state.h"
#include "nsn/core/rows/body_stiffness.h"

namespace nsn {

/// From the body's centre to the point on its surface; what is round does not turn.
template <class C>
NSN_INLINE Vec3 contact_arm_a(const C& c, const BodyState& a) {
  return a.R * c.local_a - c.radius_a * c.normal;
}
template <class C>
NSN_INLINE Vec3 contact_arm_b(const C& c, const BodyState& b) {
  return b.R * c.local_b + c.radius_b * c.normal;
}

/// Rows u, v, w of a block.
NSN_INLINE void store_rows(double* p, const Vec3& u, const Vec3& v, const Vec3& w) {
  store3(p, u);
  store3(p + 3, v);
  store3(p + 6, w);
}

/// Three values, and J of the two nodes of a and of b: what Out points to.
template <class C, class Out>
NSN_INLINE void evaluate_contact(const C& c, const TangentFrame& t, const BodyState& a,
                                 const BodyState& b, double h, const Out& out) {
  const Vec3 to_a = contact_arm_a(c, a);
  const Vec3 to_b = contact_arm_b(c, b);
  const Vec3 slip = (a.v + cross(a.w, to_a)) - (b.v + cross(b.w, to_b));
  const double gap = dot(c.normal, (a.x - b.x) + (to_a - to_b)) - c.thickness;
  const double normal = c.rebounds ? dot(c.normal, slip) + c.rebound : gap / h;
  store3(out.value, {normal, dot(t.t1, slip), dot(t.t2, slip)});
  store_rows(out.J[0], c.normal, t.t1, t.t2);
  store_rows(out.J[1], cross(to_a, c.normal), cross(to_a, t.t1), cross(to_a, t.t2));
  store_rows(out.J[2], -c.normal, -t.t1, -t.t2);
  const Vec3 from_b = -to_b;
  store_rows(out.J[3], cross(from_b, c.normal), cross(from_b, t.t1), cross(from_b, t.t2));
}

/// Impulse r of a block in world axes.
template <class C>
NSN_INLINE Vec3 contact_impulse(const C& c, const TangentFrame& t, const Vec3& r) {
  return r[0] * c.normal + r[1] * t.t1 + r[2] * t.t2;
}

/// add(k, K): geometric stiffness of node k of the block under an impulse F in world axes.
template <class C, class Add>
NSN_INLINE void contact_stiffness(const C& c, const BodyState& a, const BodyState& b, const Vec3& F,
                                  const Add& add) {
  if (a.dynamic) add(1, arm_stiffness(a.R * c.local_a, F));
  if (b.dynamic) add(3, arm_stiffness(b.R * c.local_b, -F));
}

}  // namespace nsn
