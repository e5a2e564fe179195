#include "nsn/models/rows/tendon_rows.h"

#include <algorithm>
#include <cmath>
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

void TendonRowSet::add(const Tendon& tendon) {
  Path path;
  path.offset = tendon.offset;
  const auto place = [&](int body) {
    const auto found = std::find(path.bodies.begin(), path.bodies.end(), body);
    const auto k = static_cast<int>(found - path.bodies.begin());
    if (found == path.bodies.end()) path.bodies.push_back(body);
    return k;
  };
  for (const Tendon::Side& from : tendon.sides) {
    MimicSide side;
    side.frame_a = from.joint.frame_a;
    side.frame_b = from.joint.frame_b;
    side.coordinate = from.joint.axes[to_size(from.axis)].coordinate;
    side.factor = from.weight;
    side.a = from.joint.body_a;
    side.b = from.joint.body_b;
    side.place_a = place(side.a);
    side.place_b = place(side.b);
    path.sides.push_back(side);
  }
  NSN_THROW_UNLESS(2 * path.bodies.size() <= kMaxNodesPerBlock,
                   "tendon '{}' acts on {} bodies, four are the most", tendon.name,
                   path.bodies.size());
  paths_.push_back(std::move(path));
  add_rows(tendon, static_cast<int>(paths_.size()) - 1);
}

void TendonRowSet::add_rows(const Tendon& tendon, int path) {
  const auto add = [&](double target, double lo, double hi) -> Row& {
    Row& row = rows_.emplace_back();
    row.path = path;
    row.target = target;
    row.lo = lo;
    row.hi = hi;
    return row;
  };
  if (tendon.held) add(*tendon.held, -kInfinity, kInfinity);
  if (std::isfinite(tendon.limit.lower)) add(tendon.limit.lower, 0.0, kInfinity);
  if (std::isfinite(tendon.limit.upper)) add(tendon.limit.upper, 0.0, kInfinity).sign = -1.0;
  const JointSpring& spring = tendon.spring;
  if (spring.stiffness > 0.0 || spring.damping > 0.0) {
    Row& row = add(spring.rest, -kInfinity, kInfinity);
    row.stiffness = spring.stiffness;
    row.damping = spring.damping;
  }
  const JointDrive& drive = tendon.drive;
  if (drive.on()) {
    Row& row = add(drive.target, std::max(-drive.max_effort, drive.effort.lower),
                   std::min(drive.max_effort, drive.effort.upper));
    row.speed = drive.speed;
    row.stiffness = drive.stiffness;
    row.damping = drive.damping;
  }
  if (tendon.friction > 0.0) add(0.0, -tendon.friction, tendon.friction).rate = true;
}

NodeList TendonRowSet::nodes(int k) const {
  NodeList list;
  for (const int body : path(k).bodies) {
    list.push(linear_node(body));
    list.push(angular_node(body));
  }
  return list;
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

double TendonRowSet::value(int k, const Configuration& where) const {
  double sum = -path(k).offset;
  for (const MimicSide& side : path(k).sides) {
    sum += side.factor * mimic_gradient(side, where).value;
  }
  return sum;
}

void TendonRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const Path& p = path(k);
  const Row& r = row(k);
  const double h = where.h();
  for (std::size_t n = 0; n < 2 * p.bodies.size(); ++n) out.J[n] = {};
  double length = -p.offset;
  double rate = 0.0;
  for (const MimicSide& side : p.sides) {
    const CoordinateGradient g = mimic_gradient(side, where);
    const double factor = r.sign * side.factor;
    length += side.factor * g.value;
    rate += side.factor * rate_of(side, g, where);
    add_to_row(out.J[to_size(2 * side.place_a)].a, factor, g.linear);
    add_to_row(out.J[to_size(2 * side.place_a + 1)].a, factor, g.angular_a);
    add_to_row(out.J[to_size(2 * side.place_b)].a, factor, -g.linear);
    add_to_row(out.J[to_size(2 * side.place_b + 1)].a, factor, g.angular_b);
  }
  double share = r.rate ? 0.0 : 1.0;
  if (soft(r)) share = h * r.stiffness / (h * r.stiffness + r.damping);
  const double speed = share * (length - r.target) / h + (1.0 - share) * (rate - r.speed);
  out.value = {r.sign * speed, 0.0, 0.0};
}

void TendonRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                 std::span<Mat3> K) const {
  const Path& p = path(k);
  for (const MimicSide& side : p.sides) {
    mimic_stiffness(side, where, row(k).sign * r[0], [&](int node, const Mat3& K_node) {
      K[to_size(2 * p.bodies[to_size(node / 2)] + node % 2)] += K_node;
    });
  }
}

}  // namespace nsn
