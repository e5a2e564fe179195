#include "models/rows/distance_rows.h"

#include <cmath>

#include "core/error.h"

namespace nsn {

void DistanceRowSet::add(const Distance& distance, int num_bodies) {
  const int index = size();
  for (const int body : {distance.body_a, distance.body_b}) {
    NSN_THROW_UNLESS(body >= 0 && body < num_bodies, "distance {}: no body {} (there are {})",
                     index, body, num_bodies);
  }
  NSN_THROW_UNLESS(distance.body_a != distance.body_b, "distance {}: both ends are body {}", index,
                   distance.body_a);
  NSN_THROW_UNLESS(distance.length > 0.0 && std::isfinite(distance.length),
                   "distance {}: length {} is not positive", index, distance.length);
  NSN_THROW_UNLESS(distance.compliance >= 0.0 && std::isfinite(distance.compliance),
                   "distance {}: compliance {} is negative or not finite", index,
                   distance.compliance);
  distances_.push_back(distance);
}

NodeList DistanceRowSet::nodes(int k) const {
  NodeList list;
  for (const int body : {at(k).body_a, at(k).body_b}) {
    list.push(linear_node(body));
    list.push(angular_node(body));
  }
  return list;
}

RowLaw DistanceRowSet::law(int, double) const {
  RowLaw law;
  law.kind = RowLaw::Kind::kBox;
  return law;
}

Vec3 DistanceRowSet::compliance(int k, double h) const {
  return {at(k).compliance, h * h, h * h};
}

void DistanceRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const Distance& d = at(k);
  const BodyState& a = where.body(d.body_a);
  const BodyState& b = where.body(d.body_b);
  const Vec3 arm_a = a.R * d.local_a;
  const Vec3 arm_b = b.R * d.local_b;
  const Vec3 between = (a.x - b.x) + (arm_a - arm_b);
  const double distance = norm(between);
  const Vec3 n = distance > 0.0 ? (1.0 / distance) * between : Vec3{0, 0, 1};
  out.value = {(distance - d.length) / where.h(), 0.0, 0.0};
  const Vec3 rows[4] = {n, cross(arm_a, n), -n, -cross(arm_b, n)};
  for (std::size_t i = 0; i < 4; ++i) {
    out.J[i] = Mat3{};
    for (int j = 0; j < 3; ++j) out.J[i](0, j) = rows[i][j];
  }
}

void DistanceRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                   std::span<Mat3> K) const {
  const Distance& d = at(k);
  const BodyState& a = where.body(d.body_a);
  const BodyState& b = where.body(d.body_b);
  const Vec3 arm_a = a.R * d.local_a;
  const Vec3 arm_b = b.R * d.local_b;
  const Vec3 between = (a.x - b.x) + (arm_a - arm_b);
  const double distance = norm(between);
  if (!(distance > 0.0)) return;
  const Vec3 n = (1.0 / distance) * between;
  // The direction turns with the link: d(r n)/da = (r / |a - b|) (I - n n^T), kept per node.
  const Mat3 turning = (r[0] / distance) * (identity<3>() + (-1.0) * outer(n, n));
  const auto add = [&](int body, const BodyState& state, const Vec3& arm, double sign) {
    if (!state.dynamic) return;
    Mat3& linear = K[static_cast<std::size_t>(linear_node(body))];
    Mat3& angular = K[static_cast<std::size_t>(angular_node(body))];
    linear = linear + turning;
    angular =
        angular + arm_stiffness(arm, sign * r[0] * n) + skew(arm) * turning * transpose(skew(arm));
  };
  add(d.body_a, a, arm_a, 1.0);
  add(d.body_b, b, arm_b, -1.0);
}

}  // namespace nsn
