#include "nsn/models/rows/mimic_rows.h"

#include <algorithm>
#include <utility>

#include "nsn/core/base/types.h"
#include "nsn/core/rows/mimic_body.h"

namespace nsn {

void MimicRowSet::add(const Side& follower, const Side& leader, double offset) {
  Entry entry;
  const auto place = [&](int body) {
    const auto found = std::find(entry.bodies.begin(), entry.bodies.end(), body);
    const auto k = static_cast<int>(found - entry.bodies.begin());
    if (found == entry.bodies.end()) entry.bodies.push_back(body);
    return k;
  };
  entry.data.offset = offset;
  MimicSide* side = entry.data.side;
  for (const Side* from : {&follower, &leader}) {
    const Joint& joint = from->joint;
    side->frame_a = joint.frame_a;
    side->frame_b = joint.frame_b;
    side->coordinate = joint.axes[to_size(from->axis)].coordinate;
    side->factor = from->factor;
    side->a = joint.body_a;
    side->b = joint.body_b;
    side->place_a = place(joint.body_a);
    side->place_b = place(joint.body_b);
    ++side;
  }
  entry.axis[0] = follower.axis;
  entry.axis[1] = leader.axis;
  entry.data.bodies = static_cast<int>(entry.bodies.size());
  entries_.push_back(std::move(entry));
}

NodeList MimicRowSet::nodes(int k) const {
  NodeList list;
  for (const int body : at(k).bodies) {
    list.push(linear_node(body));
    list.push(angular_node(body));
  }
  return list;
}

RowLaw MimicRowSet::law(int, double) const {
  RowLaw law;
  law.kind = RowLaw::Kind::kBox;
  return law;
}

Vec3 MimicRowSet::compliance(int, double h) const {
  return {0.0, h * h, h * h};  // two rows of padding
}

/// Named by the moving bodies of the two joints.
std::uint64_t MimicRowSet::id(int k) const {
  const auto body = [&](int i) { return static_cast<std::uint64_t>(at(k).data.side[i].a); };
  const auto axis = [&](int i) { return static_cast<std::uint64_t>(at(k).axis[i]); };
  return std::uint64_t{6} << 60U | body(0) << 32U | axis(0) << 28U | body(1) << 2U | axis(1);
}

void MimicRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  evaluate_mimic(at(k).data, where, where.h(), row_block_entries(out));
}

bool MimicRowSet::record(int k, const RecordTarget& to) const {
  MimicRecord record;
  record.data = at(k).data;
  for (MimicSide& side : record.data.side) {
    side.a = to.body(side.a);
    side.b = to.body(side.b);
  }
  record.row = to.row;
  std::copy_n(to.slot, kMaxNodesPerBlock, record.slot);
  to.records.mimics.push_back(record);
  return true;
}

void MimicRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                std::span<Mat3> K) const {
  const Entry& entry = at(k);
  for (const MimicSide& side : entry.data.side) {
    mimic_stiffness(side, where, r[0], [&](int node, const Mat3& K_node) {
      K[to_size(2 * entry.bodies[to_size(node / 2)] + node % 2)] += K_node;
    });
  }
}

}  // namespace nsn
