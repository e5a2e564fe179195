#include "nsn/models/rows/tendon_rows.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"
#include "nsn/core/rows/mimic_body.h"

namespace nsn {
namespace {

double rate_of(const MimicSide& side, const CoordinateGradient& g, const Configuration& at) {
  const BodyState& a = at.body(side.a);
  const BodyState& b = at.body(side.b);
  return dot(g.linear, a.v - b.v) + dot(g.angular_a, a.w) + dot(g.angular_b, b.w);
}

}  // namespace

int TendonRowSet::place_of(int node, const std::string& name, Path& path) {
  NodeList& list = path.nodes;
  for (int k = 0; k < list.count; ++k) {
    if (list.node[to_size(k)] == node) return k;
  }
  NSN_THROW_UNLESS(list.count < kMaxNodesPerBlock,
                   "tendon '{}' acts on more than four bodies, or eight that it turns", name);
  list.push(node);
  return list.count - 1;
}

int TendonRowSet::count_nodes(const std::vector<Tendon::Side>& sides) {
  std::set<int> nodes;
  for (const Tendon::Side& side : sides) {
    const Joint& joint = side.joint;
    for (const int body : {joint.body_a, joint.body_b}) {
      nodes.insert(angular_node(body));
      if (!joint.axes[to_size(side.axis)].coordinate.angular()) nodes.insert(linear_node(body));
    }
  }
  return static_cast<int>(nodes.size());
}

void TendonRowSet::add_side(const Tendon::Side& from, bool leads, const std::string& name,
                            Path& path) {
  const auto place = [&](int node) { return place_of(node, name, path); };
  Side side;
  MimicSide& c = side.coordinate;
  c.frame_a = from.joint.frame_a;
  c.frame_b = from.joint.frame_b;
  c.coordinate = from.joint.axes[to_size(from.axis)].coordinate;
  c.factor = from.weight;
  c.a = from.joint.body_a;
  c.b = from.joint.body_b;
  const bool moves = !c.coordinate.angular();
  side.place[0] = moves ? place(linear_node(c.a)) : -1;
  side.place[1] = place(angular_node(c.a));
  side.place[2] = moves ? place(linear_node(c.b)) : -1;
  side.place[3] = place(angular_node(c.b));
  side.leads = leads;
  path.sides.push_back(side);
}

void TendonRowSet::add(const Tendon& tendon) {
  Path path;
  path.offset = tendon.offset;
  path.leader_offset = tendon.leader_offset;
  path.polynomial = tendon.polynomial;
  for (const Tendon::Side& side : tendon.sides) add_side(side, false, tendon.name, path);
  for (const Tendon::Side& side : tendon.leader) add_side(side, true, tendon.name, path);
  for (const Tendon::Relay& relay : tendon.relays) {
    const int place = place_of(particle_node(relay.particle), tendon.name, path);
    path.relays.push_back({relay.particle, place, relay.weight});
  }
  paths_.push_back(std::move(path));
  add_rows(tendon, static_cast<int>(paths_.size()) - 1);
}

TendonRowSet::Row& TendonRowSet::add_row(int path, double target, double lo, double hi) {
  Row& row = rows_.emplace_back();
  row.path = path;
  row.target = target;
  row.lo = lo;
  row.hi = hi;
  return row;
}

void TendonRowSet::add_rows(const Tendon& tendon, int path) {
  if (tendon.held) add_row(path, *tendon.held, -kInfinity, kInfinity);
  if (std::isfinite(tendon.limit.lower)) add_row(path, tendon.limit.lower, 0.0, kInfinity);
  if (std::isfinite(tendon.limit.upper)) {
    add_row(path, tendon.limit.upper, 0.0, kInfinity).sign = -1.0;
  }
  add_spring(tendon, path);
  for (const JointDrive& drive : tendon.drives) {
    if (!drive.on()) continue;
    Row& row = add_row(path, drive.target, std::max(-drive.max_effort, drive.effort.lower),
                       std::min(drive.max_effort, drive.effort.upper));
    row.speed = drive.speed;
    row.stiffness = drive.stiffness;
    row.damping = drive.damping;
  }
  if (tendon.friction > 0.0) add_row(path, 0.0, -tendon.friction, tendon.friction).rate = true;
}

void TendonRowSet::add_spring(const Tendon& tendon, int path) {
  const JointSpring& spring = tendon.spring;
  if (!(spring.stiffness > 0.0 || spring.damping > 0.0)) return;
  const bool taut = tendon.slack == 0.0 || spring.stiffness == 0.0;
  if (taut || spring.damping > 0.0) {
    Row& row = add_row(path, spring.rest, -kInfinity, kInfinity);
    row.stiffness = taut ? spring.stiffness : 0.0;
    row.damping = spring.damping;
  }
  if (taut) return;
  add_row(path, spring.rest, 0.0, kInfinity).stiffness = spring.stiffness;
  add_row(path, spring.rest + tendon.slack, -kInfinity, 0.0).stiffness = spring.stiffness;
}

NodeList TendonRowSet::nodes(int k) const {
  return path(k).nodes;
}

RowLaw TendonRowSet::law(int k, double h) const {
  RowLaw law;
  law.kind = RowLaw::Kind::kBox;
  law.lo[0] = h * row(k).lo;
  law.hi[0] = h * row(k).hi;
  return law;
}

Vec3 TendonRowSet::compliance(int k, double h) const {
  const Row& r = row(k);
  return {soft(r) ? h / (h * r.stiffness + r.damping) : 0.0, h * h, h * h};  // two rows of padding
}

std::uint64_t TendonRowSet::id(int k) const {
  return std::uint64_t{13} << 59U | static_cast<std::uint64_t>(k);
}

TendonRowSet::Length TendonRowSet::length_of(const Path& path, const Configuration& at) {
  double own[2] = {-path.offset, 0.0};
  double leader[2] = {-path.leader_offset, 0.0};
  for (const Side& side : path.sides) {
    const CoordinateGradient g = mimic_gradient(side.coordinate, at);
    double* const sum = side.leads ? leader : own;
    sum[0] += side.coordinate.factor * g.value;
    sum[1] += side.coordinate.factor * rate_of(side.coordinate, g, at);
  }
  for (const Relay& relay : path.relays) {
    const PointState& particle = at.particle(relay.particle);
    own[0] += relay.weight * particle.x[0];
    own[1] += relay.weight * particle.v[0];
  }
  double value = 0.0;
  double slope = 0.0;
  for (std::size_t n = path.polynomial.size(); n-- > 0;) {
    slope = slope * leader[0] + value;
    value = value * leader[0] + path.polynomial[n];
  }
  return {own[0] - value, own[1] - slope * leader[1], slope};
}

void TendonRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const Path& p = path(k);
  const Row& r = row(k);
  const double h = where.h();
  for (int n = 0; n < p.nodes.count; ++n) out.J[to_size(n)] = {};
  const Length length = length_of(p, where);
  const auto add = [&](int place, double factor, const Vec3& v) {
    if (place >= 0) add_to_row(out.J[to_size(place)].a, factor, v);
  };
  for (const Side& side : p.sides) {
    const CoordinateGradient g = mimic_gradient(side.coordinate, where);
    const double factor = r.sign * side.coordinate.factor * (side.leads ? -length.slope : 1.0);
    add(side.place[0], factor, g.linear);
    add(side.place[1], factor, g.angular_a);
    add(side.place[2], factor, -g.linear);
    add(side.place[3], factor, g.angular_b);
  }
  for (const Relay& relay : p.relays) add(relay.place, r.sign * relay.weight, {1.0, 0.0, 0.0});
  double share = r.rate ? 0.0 : 1.0;
  if (soft(r)) share = h * r.stiffness / (h * r.stiffness + r.damping);
  const double speed =
      share * (length.value - r.target) / h + (1.0 - share) * (length.rate - r.speed);
  out.value = {r.sign * speed, 0.0, 0.0};
}

void TendonRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                 std::span<Mat3> K) const {
  const Path& p = path(k);
  const double slope = length_of(p, where).slope;
  for (const Side& side : p.sides) {
    MimicSide c = side.coordinate;
    c.place_a = 0;  // nodes 0 ... 3 of this side
    c.place_b = 1;
    const double factor = row(k).sign * (side.leads ? -slope : 1.0);
    mimic_stiffness(c, where, factor * r[0], [&](int node, const Mat3& K_node) {
      const int place = side.place[to_size(node)];
      if (place >= 0) K[to_size(p.nodes.node[to_size(place)])] += K_node;
    });
  }
}

}  // namespace nsn
