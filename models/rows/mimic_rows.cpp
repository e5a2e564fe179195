#include "nsn/models/rows/mimic_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace nsn {
namespace {

FramePair frames(const Joint& joint, const Configuration& where) {
  return place_frames(where.body(joint.body_a), joint.frame_a, where.body(joint.body_b),
                      joint.frame_b);
}

const JointCoordinate& coordinate_of(const MimicRowSet::Side& side) {
  return side.joint.axes[static_cast<std::size_t>(side.axis)].coordinate;
}

CoordinateGradient gradient(const MimicRowSet::Side& side, const Configuration& where) {
  CoordinateGradient g = coordinate_gradient(coordinate_of(side), frames(side.joint, where));
  constexpr double kTurn = 2.0 * std::numbers::pi;
  if (coordinate_of(side).periodic()) g.value -= kTurn * std::round(g.value / kTurn);
  return g;
}

}  // namespace

void MimicRowSet::add(Side follower, Side leader, double offset) {
  Entry entry;
  entry.offset = offset;
  for (const int body :
       {follower.joint.body_a, follower.joint.body_b, leader.joint.body_a, leader.joint.body_b}) {
    if (std::find(entry.bodies.begin(), entry.bodies.end(), body) == entry.bodies.end()) {
      entry.bodies.push_back(body);
    }
  }
  entry.side[0] = std::move(follower);
  entry.side[1] = std::move(leader);
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
  const auto body = [&](int i) { return static_cast<std::uint64_t>(at(k).side[i].joint.body_a); };
  const auto axis = [&](int i) { return static_cast<std::uint64_t>(at(k).side[i].axis); };
  return std::uint64_t{6} << 60U | body(0) << 32U | axis(0) << 28U | body(1) << 2U | axis(1);
}

double MimicRowSet::value(int k, const Configuration& where) const {
  double sum = -at(k).offset;
  for (const Side& side : at(k).side) sum += side.factor * gradient(side, where).value;
  return sum;
}

void MimicRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const Entry& entry = at(k);
  for (std::size_t i = 0; i < 2 * entry.bodies.size(); ++i) out.J[i] = Mat3{};
  out.value = {};
  double sum = -entry.offset;
  for (const Side& side : entry.side) {
    const CoordinateGradient g = gradient(side, where);
    sum += side.factor * g.value;
    const auto add = [&](int body, const Vec3& linear, const Vec3& angular) {
      const auto place = static_cast<std::size_t>(
          std::find(entry.bodies.begin(), entry.bodies.end(), body) - entry.bodies.begin());
      for (int j = 0; j < 3; ++j) {
        out.J[2 * place](0, j) += side.factor * linear[j];
        out.J[2 * place + 1](0, j) += side.factor * angular[j];
      }
    };
    add(side.joint.body_a, g.linear, g.angular_a);
    add(side.joint.body_b, -g.linear, g.angular_b);
  }
  out.value[0] = sum / where.h();
}

void MimicRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                std::span<Mat3> K) const {
  for (const Side& side : at(k).side) {
    CoordinateCurvature c;
    add_curvature(coordinate_of(side), frames(side.joint, where), side.factor * r[0], c);
    const auto add = [&](int body, const Mat3& angular) {
      if (!where.body(body).dynamic) return;
      K[static_cast<std::size_t>(linear_node(body))] += c.linear;
      K[static_cast<std::size_t>(angular_node(body))] += angular;
    };
    add(side.joint.body_a, c.angular_a);
    add(side.joint.body_b, c.angular_b);
  }
}

}  // namespace nsn
