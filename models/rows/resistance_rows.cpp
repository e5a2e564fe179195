#include "nsn/models/rows/resistance_rows.h"

#include <algorithm>

namespace nsn {
namespace {

/// What a unit torque impulse about t does to the two bodies.
double mobility(const World& world, const Contact& c, const Vec3& t) {
  double sum = 0.0;
  for (const int b : {c.body_a, c.body_b}) {
    const ConstBodyRef body = world.body(b);
    if (body.dynamic()) sum += dot(t, inverse(world_inertia(body)) * t);
  }
  return sum;
}

}  // namespace

void ResistanceRowSet::build(const World& world, const ContactRowSet& contacts) {
  blocks_.clear();
  for (int k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts.contacts()[static_cast<std::size_t>(k)];
    if (!(c.rolling > 0.0) && !(c.spinning > 0.0)) continue;
    Block block;
    block.contact = k;
    block.body_a = c.body_a;
    block.body_b = c.body_b;
    block.n = c.normal;
    const TangentFrame t = tangent_frame(c.normal);
    block.t1 = t.t1;
    block.t2 = t.t2;
    block.unit = std::max(mobility(world, c, t.t1), mobility(world, c, t.t2));
    for (const bool spins : {false, true}) {
      block.spins = spins;
      block.length = spins ? c.spinning : c.rolling;
      block.id =
          (c.id ^ (spins ? 0x9e3779b97f4a7c15ULL : 0xc2b2ae3d27d4eb4fULL)) * 0xff51afd7ed558ccdULL;
      if (block.length > 0.0) blocks_.push_back(block);
    }
  }
}

void ResistanceRowSet::set_normal_impulse(int k, double impulse) {
  blocks_[static_cast<std::size_t>(k)].normal_impulse = impulse;
}

NodeList ResistanceRowSet::nodes(int k) const {
  NodeList list;
  list.push(angular_node(at(k).body_a));
  list.push(angular_node(at(k).body_b));
  return list;
}

RowLaw ResistanceRowSet::law(int k, double) const {
  const Block& block = at(k);
  RowLaw law;
  if (!block.spins) {
    law = RowLaw::contact(1.0);
    law.rebounds = true;  // no gap in it
    return law;
  }
  law.kind = RowLaw::Kind::kBox;
  law.hi[0] = block.length * block.normal_impulse;
  law.lo[0] = -law.hi[0];
  return law;
}

Vec3 ResistanceRowSet::compliance(int k, double h) const {
  const double unit = h * h * at(k).unit;
  return at(k).spins ? Vec3{0.0, h * h, h * h} : Vec3{unit, 0.0, 0.0};
}

std::uint64_t ResistanceRowSet::id(int k) const {
  return at(k).id;
}

void ResistanceRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const Block& block = at(k);
  evaluate_resistance(block, where.body(block.body_a), where.body(block.body_b),
                      row_block_entries(out));
}

bool ResistanceRowSet::record(int k, const RecordTarget& to) const {
  const Block& block = at(k);
  ResistanceRecord record;
  record.data = static_cast<const ResistanceData&>(block);
  record.a = to.body(block.body_a);
  record.b = to.body(block.body_b);
  record.row = to.row;
  std::copy_n(to.slot, 2, record.slot);
  to.records.resistances.push_back(record);
  return true;
}

Vec3 ResistanceRowSet::to_world(int k, const Vec3& r) const {
  const Block& block = at(k);
  return block.spins ? r : r[0] * block.n + r[1] * block.t1 + r[2] * block.t2;
}

Vec3 ResistanceRowSet::from_world(int k, const Vec3& r) const {
  const Block& block = at(k);
  return block.spins ? r : Vec3{dot(r, block.n), dot(r, block.t1), dot(r, block.t2)};
}

}  // namespace nsn
