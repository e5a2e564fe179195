/// One contact that touches particles (models/rows/soft_contact_rows.h) on any device.
///
/// S, a side: int body (below 0: particles), Vec3 local, particle[count], weight[count], radius.
/// At: body(i) and particle(i), where things are.
#pragma once

#include "nsn/core/base/types.h"
#include "nsn/core/rows/contact_body.h"

namespace nsn {

/// Where a side's point is, without its radius, and how fast it moves with it.
struct SideState {
  Vec3 x;
  Vec3 v;
  Vec3 arm;  ///< rigid: from the centre of mass to the surface
};

/// outward: from this side's surface to the other's.
template <class S, class At>
NSN_FUNCTION SideState side_state(const S& side, const At& at, const Vec3& outward) {
  SideState state;
  if (side.body >= 0) {
    const BodyState& body = at.body(side.body);
    const Vec3 turned = body.R * side.local;
    state.arm = turned + side.radius * outward;
    state.x = body.x + turned;
    state.v = body.v + cross(body.w, state.arm);
    return state;
  }
  for (int k = 0; k < side.count; ++k) {
    const PointState& point = at.particle(side.particle[to_size(k)]);
    state.x += side.weight[to_size(k)] * point.x;
    state.v += side.weight[to_size(k)] * point.v;
  }
  return state;
}

template <class C>
NSN_FUNCTION double soft_gap(const C& c, const SideState& a, const SideState& b) {
  return dot(c.normal, a.x - b.x) - c.a.radius - c.b.radius - c.thickness;
}

/// J of one side's nodes from `first` on; returns the next free one.
template <class S, class Out>
NSN_FUNCTION int store_side(const S& side, const SideState& state, const Mat3& rows, double sign,
                            int first, const Out& out) {
  if (side.body >= 0) {
    store9(out.J[first], sign * rows);
    // row . (w x arm)
    store9(out.J[first + 1], sign * (rows * transpose(skew(state.arm))));
    return first + 2;
  }
  for (int k = 0; k < side.count; ++k) {
    store9(out.J[first + k], (sign * side.weight[to_size(k)]) * rows);
  }
  return first + side.count;
}

/// Three values, and J of the nodes of a and of b: what Out points to.
template <class C, class At, class Out>
NSN_FUNCTION void evaluate_soft_contact(const C& c, const TangentFrame& t, const At& at, double h,
                                        const Out& out) {
  const SideState a = side_state(c.a, at, -c.normal);
  const SideState b = side_state(c.b, at, c.normal);
  const Vec3 slip = a.v - b.v;
  store3(out.value, vec3(soft_gap(c, a, b) / h, dot(t.t1, slip), dot(t.t2, slip)));
  Mat3 rows;
  store_rows(rows.a, c.normal, t.t1, t.t2);
  const int next = store_side(c.a, a, rows, 1.0, 0, out);
  store_side(c.b, b, rows, -1.0, next, out);
}

/// add(k, K): geometric stiffness of node k of the block under an impulse F in world axes.
template <class C, class At, class Add>
NSN_FUNCTION void soft_contact_stiffness(const C& c, const At& at, const Vec3& F, const Add& add) {
  const int nodes_a = c.a.body >= 0 ? 2 : c.a.count;
  if (c.a.body >= 0 && at.body(c.a.body).dynamic) {
    add(1, arm_stiffness(at.body(c.a.body).R * c.a.local, F));
  }
  if (c.b.body >= 0 && at.body(c.b.body).dynamic) {
    add(nodes_a + 1, arm_stiffness(at.body(c.b.body).R * c.b.local, -F));
  }
}

}  // namespace nsn
