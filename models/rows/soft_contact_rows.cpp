#include "nsn/models/rows/soft_contact_rows.h"

#include <algorithm>

#include "nsn/core/base/types.h"
#include "nsn/core/rows/soft_contact_body.h"

namespace nsn {
namespace {

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
  evaluate_soft_contact(at(k), frame(k), where, where.h(), row_block_entries(out));
}

bool SoftContactRowSet::record(int k, const RecordTarget& to) const {
  const SoftContact& c = at(k);
  SoftContactRecord record;
  const auto set = [&](const ContactSide& from, SideRecord& side) {
    side.local = from.local;
    side.radius = from.radius;
    side.count = from.body >= 0 ? 0 : from.count;
    if (from.body >= 0) side.body = to.body(from.body);
    for (int i = 0; i < side.count; ++i) {
      side.particle[i] = to.particle(from.particle[to_size(i)]);
      side.weight[i] = from.weight[to_size(i)];
    }
  };
  set(c.a, record.a);
  set(c.b, record.b);
  record.normal = c.normal;
  record.frame = frame(k);
  record.thickness = c.thickness;
  record.row = to.row;
  std::copy_n(to.slot, kMaxNodesPerBlock, record.slot);
  to.records.soft_contacts.push_back(record);
  return true;
}

void SoftContactRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                      std::span<Mat3> K) const {
  const NodeList list = nodes(k);
  soft_contact_stiffness(at(k), where, to_world(k, r), [&](int node, const Mat3& K_node) {
    K[to_size(list.node[to_size(node)])] += K_node;
  });
}

double SoftContactRowSet::gap(int k, const Configuration& where) const {
  const SoftContact& c = at(k);
  return soft_gap(c, side_state(c.a, where, -c.normal), side_state(c.b, where, c.normal));
}

Vec3 SoftContactRowSet::point(int k, const Configuration& where) const {
  const SoftContact& c = at(k);
  return side_state(c.b, where, c.normal).x + c.b.radius * c.normal;
}

}  // namespace nsn
