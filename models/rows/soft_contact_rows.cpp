#include "nsn/models/rows/soft_contact_rows.h"

#include "nsn/core/base/types.h"

namespace nsn {
namespace {

/// Where a side's point is, without its radius, and how fast it moves with it.
struct SideState {
  Vec3 x;
  Vec3 v;
  Vec3 arm;  // rigid: from the centre of mass to the surface
};

/// outward: from this side's surface to the other's.
SideState state_of(const ContactSide& side, const Configuration& where, const Vec3& outward) {
  SideState state;
  if (side.body >= 0) {
    const BodyState& body = where.body(side.body);
    const Vec3 turned = body.R * side.local;
    state.arm = turned + side.radius * outward;
    state.x = body.x + turned;
    state.v = body.v + cross(body.w, state.arm);
    return state;
  }
  for (int k = 0; k < side.count; ++k) {
    const PointState& point = where.particle(side.particle[to_size(k)]);
    state.x += side.weight[to_size(k)] * point.x;
    state.v += side.weight[to_size(k)] * point.v;
  }
  return state;
}

Mat3 rows_of(const Vec3& n, const TangentFrame& t) {
  return {n[0], n[1], n[2], t.t1[0], t.t1[1], t.t1[2], t.t2[0], t.t2[1], t.t2[2]};
}

/// Blocks of one side from `first` on; returns the next free one.
int set_blocks(const ContactSide& side, const SideState& state, const Mat3& rows, double sign,
               int first, RowBlock& out) {
  if (side.body >= 0) {
    out.J[to_size(first)] = sign * rows;
    out.J[to_size(first + 1)] = sign * (rows * transpose(skew(state.arm)));  // row . (w x arm)
    return first + 2;
  }
  for (int k = 0; k < side.count; ++k) {
    out.J[to_size(first + k)] = (sign * side.weight[to_size(k)]) * rows;
  }
  return first + side.count;
}

void push_nodes(const ContactSide& side, NodeList& list) {
  if (side.body >= 0) {
    list.push(linear_node(side.body));
    list.push(angular_node(side.body));
    return;
  }
  for (int k = 0; k < side.count; ++k) list.push(particle_node(side.particle[to_size(k)]));
}

}  // namespace

NodeList SoftContactRowSet::nodes(int k) const {
  NodeList list;
  push_nodes(at(k).a, list);
  push_nodes(at(k).b, list);
  return list;
}

RowLaw SoftContactRowSet::law(int k, double) const {
  return RowLaw::contact(at(k).mu);
}

void SoftContactRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const SoftContact& c = at(k);
  const TangentFrame& t = frame(k);
  const SideState a = state_of(c.a, where, -c.normal);
  const SideState b = state_of(c.b, where, c.normal);
  const Vec3 slip = a.v - b.v;
  out.value = {gap(k, where) / where.h(), dot(t.t1, slip), dot(t.t2, slip)};
  const Mat3 rows = rows_of(c.normal, t);
  const int next = set_blocks(c.a, a, rows, 1.0, 0, out);
  set_blocks(c.b, b, rows, -1.0, next, out);
}

void SoftContactRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                      std::span<Mat3> K) const {
  const SoftContact& c = at(k);
  const Vec3 F = to_world(k, r);
  const auto add = [&](const ContactSide& side, const Vec3& impulse) {
    if (side.body < 0 || !where.body(side.body).dynamic) return;
    Mat3& K_body = K[static_cast<std::size_t>(angular_node(side.body))];
    K_body = K_body + arm_stiffness(where.body(side.body).R * side.local, impulse);
  };
  add(c.a, F);
  add(c.b, -F);
}

double SoftContactRowSet::gap(int k, const Configuration& where) const {
  const SoftContact& c = at(k);
  const Vec3 between = state_of(c.a, where, -c.normal).x - state_of(c.b, where, c.normal).x;
  return dot(c.normal, between) - c.a.radius - c.b.radius - c.thickness;
}

Vec3 SoftContactRowSet::point(int k, const Configuration& where) const {
  const SoftContact& c = at(k);
  return state_of(c.b, where, c.normal).x + c.b.radius * c.normal;
}

}  // namespace nsn
