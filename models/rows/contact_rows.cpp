#include "nsn/models/rows/contact_rows.h"

#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/lanes.h"

namespace nsn {
namespace {

/// From the body's centre to the point on its surface; what is round does not turn.
NSN_INLINE Vec3 arm_a(const Contact& c, const BodyState& a) {
  return a.R * c.local_a - c.radius_a * c.normal;
}
NSN_INLINE Vec3 arm_b(const Contact& c, const BodyState& b) {
  return b.R * c.local_b + c.radius_b * c.normal;
}

NSN_INLINE void store_rows(double* p, const Vec3& u, const Vec3& v, const Vec3& w) {
  store3(p, u);
  store3(p + 3, v);
  store3(p + 6, w);
}

}  // namespace

void validate(const Contact& contact, int index, int num_bodies) {
  for (const int body : {contact.body_a, contact.body_b}) {
    NSN_THROW_UNLESS(body >= 0 && body < num_bodies, "contact {}: no body {} (there are {})", index,
                     body, num_bodies);
  }
  NSN_THROW_UNLESS(contact.body_a != contact.body_b, "contact {}: both sides are body {}", index,
                   contact.body_a);
  const double size = norm(contact.normal);
  NSN_THROW_UNLESS(std::abs(size - 1.0) < 1e-6, "contact {}: normal has length {}, not 1", index,
                   size);
  NSN_THROW_UNLESS(all_finite(contact.local_a) && all_finite(contact.local_b),
                   "contact {}: a point is not finite", index);
  NSN_THROW_UNLESS(contact.mu >= 0.0 && std::isfinite(contact.mu),
                   "contact {}: friction coefficient {} is negative or not finite", index,
                   contact.mu);
  NSN_THROW_UNLESS(contact.compliance >= 0.0 && std::isfinite(contact.compliance),
                   "contact {}: compliance {} is negative or not finite", index,
                   contact.compliance);
  NSN_THROW_UNLESS(std::isfinite(contact.thickness), "contact {}: thickness {} is not finite",
                   index, contact.thickness);
}

NodeList ContactRowSet::nodes(int k) const {
  NodeList list;
  for (const int body : {at(k).body_a, at(k).body_b}) {
    list.push(linear_node(body));
    list.push(angular_node(body));
  }
  return list;
}

RowLaw ContactRowSet::law(int k, double) const {
  RowLaw law = RowLaw::contact(at(k).mu);
  law.rebounds = at(k).rebounds;
  return law;
}

double ContactRowSet::gap(int k, const Configuration& where) const {
  const Contact& c = at(k);
  const BodyState& a = where.body(c.body_a);
  const BodyState& b = where.body(c.body_b);
  const Vec3 between = (a.x - b.x) + (arm_a(c, a) - arm_b(c, b));
  return dot(c.normal, between) - c.thickness;
}

Vec3 ContactRowSet::point(int k, const Configuration& where) const {
  const Contact& c = at(k);
  const BodyState& b = where.body(c.body_b);
  return b.x + arm_b(c, b);
}

void ContactRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  evaluate(k, where, body_pair_entries(out));
}

void ContactRowSet::evaluate_run(int first, std::size_t count, const Configuration& where,
                                 const RowTarget& out) const {
  std::array<double, kBlockSize> unused;
  for (std::size_t i = 0; i < count; ++i) {
    evaluate(first + static_cast<int>(i), where, out.body_pair(i, unused));
  }
}

NSN_KERNEL void ContactRowSet::evaluate(int k, const Configuration& where,
                                        const BodyPairEntries& out) const {
  const Contact& c = at(k);
  const TangentFrame& t = frame(k);
  const BodyState& a = where.body(c.body_a);
  const BodyState& b = where.body(c.body_b);
  const Vec3 to_a = arm_a(c, a);
  const Vec3 to_b = arm_b(c, b);
  const Vec3 slip = (a.v + cross(a.w, to_a)) - (b.v + cross(b.w, to_b));
  const double gap = dot(c.normal, (a.x - b.x) + (to_a - to_b)) - c.thickness;
  const double normal = c.rebounds ? dot(c.normal, slip) + c.rebound : gap / where.h();
  store3(out.value, {normal, dot(t.t1, slip), dot(t.t2, slip)});
  const auto store_turned = [&](double* p, const Vec3& arm) {
    store_rows(p, cross(arm, c.normal), cross(arm, t.t1), cross(arm, t.t2));
  };
  store_rows(out.J[0], c.normal, t.t1, t.t2);
  store_turned(out.J[1], to_a);
  store_rows(out.J[2], -c.normal, -t.t1, -t.t2);
  store_turned(out.J[3], -to_b);
}

void ContactRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                  std::span<Mat3> K) const {
  const Contact& c = at(k);
  const Vec3 F = to_world(k, r);
  const auto add = [&](int body, const Vec3& local, const Vec3& impulse) {
    const BodyState& state = where.body(body);
    if (!state.dynamic) return;
    Mat3& K_body = K[static_cast<std::size_t>(angular_node(body))];
    K_body = K_body + arm_stiffness(state.R * local, impulse);
  };
  add(c.body_a, c.local_a, F);
  add(c.body_b, c.local_b, -F);
}

}  // namespace nsn
