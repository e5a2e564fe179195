#include "nsn/models/rows/contact_rows.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/core/rows/contact_body.h"

namespace nsn {
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
  const Vec3 between = (a.x - b.x) + (contact_arm_a(c, a) - contact_arm_b(c, b));
  return dot(c.normal, between) - c.thickness;
}

Vec3 ContactRowSet::point(int k, const Configuration& where) const {
  const Contact& c = at(k);
  const BodyState& b = where.body(c.body_b);
  return b.x + contact_arm_b(c, b);
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
  evaluate_contact(c, frame(k), where.body(c.body_a), where.body(c.body_b), where.h(), out);
}

bool ContactRowSet::record(int k, const RecordTarget& to) const {
  const Contact& c = at(k);
  ContactRecord record;
  record.local_a = c.local_a;
  record.local_b = c.local_b;
  record.radius_a = c.radius_a;
  record.radius_b = c.radius_b;
  record.normal = c.normal;
  record.frame = frame(k);
  record.thickness = c.thickness;
  record.rebound = c.rebound;
  record.rebounds = c.rebounds;
  record.a = to.body(c.body_a);
  record.b = to.body(c.body_b);
  record.row = to.row;
  std::copy_n(to.slot, 4, record.slot);
  to.records.contacts.push_back(record);
  return true;
}

void ContactRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                  std::span<Mat3> K) const {
  const Contact& c = at(k);
  const int bodies[] = {c.body_a, c.body_b};
  contact_stiffness(
      c, where.body(c.body_a), where.body(c.body_b), to_world(k, r),
      [&](int node, const Mat3& K_node) { K[to_size(2 * bodies[node / 2] + node % 2)] += K_node; });
}

}  // namespace nsn
