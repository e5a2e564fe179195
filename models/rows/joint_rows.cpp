#include "models/rows/joint_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace nsn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Limits of an angle so far apart (rad) are met one at a time, unless the coordinate is so fast
/// that it would come within a kReach-th of the way to the farther one.
constexpr double kWideRange = 0.5;
constexpr double kReach = 8.0;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The value that a periodic angle means next to `reference`.
double unwrapped(const JointCoordinate& c, double value, double reference) {
  if (!c.periodic()) return value;
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return value + kTurn * std::round((reference - value) / kTurn);
}

BodyState state_of(const Body& body) {
  return {body.position,  rotation_matrix(body.orientation),
          body.velocity,  body.angular_velocity,
          body.dynamic(), body.orientation};
}

double rate_of(const JointCoordinate& c, const FramePair& pair, const BodyState& a,
               const BodyState& b) {
  const CoordinateGradient g = coordinate_gradient(c, pair);
  return dot(g.linear, a.v - b.v) + dot(g.angular_a, a.w) + dot(g.angular_b, b.w);
}

void set_row(Mat3& J, int i, const Vec3& v) {
  for (int j = 0; j < 3; ++j) J(i, j) = v[j];
}

}  // namespace

int JointRowSet::add(Joint joint, int num_bodies) {
  validate(joint, num_joints(), num_bodies);
  joint.frame_a.rotation = normalized(joint.frame_a.rotation);
  joint.frame_b.rotation = normalized(joint.frame_b.rotation);
  turns_.resize(turns_.size() + joint.axes.size(), 0.0);
  joints_.push_back(std::move(joint));
  axis_begin_.push_back(static_cast<int>(turns_.size()));
  return num_joints() - 1;
}

void JointRowSet::start_step(const std::vector<Body>& bodies, double h,
                             ForceDirections directions) {
  h_ = h;
  directions_ = directions;
  rows_.clear();
  block_begin_.resize(joints_.size() + 1);
  for (int j = 0; j < num_joints(); ++j) {
    const Joint& joint = joints_[at(j)];
    validate(joint, j, static_cast<int>(bodies.size()));
    block_begin_[at(j)] = size();
    add_rows(j, state_of(bodies[at(joint.body_a)]), state_of(bodies[at(joint.body_b)]));
  }
  block_begin_[joints_.size()] = size();
}

void JointRowSet::add_rows(int j, const BodyState& a, const BodyState& b) {
  const Joint& joint = joints_[at(j)];
  const FramePair pair = place_frames(a, joint.frame_a, b, joint.frame_b);
  bounded_.clear();
  for (std::size_t i = 0; i < joint.rows.size(); ++i) add_hold(j, static_cast<int>(i), pair);
  for (std::size_t i = 0; i < joint.axes.size(); ++i) {
    const JointCoordinate& c = joint.axes[i].coordinate;
    const double rate = joint.axes[i].armature > 0.0 ? rate_until_now(joint, c, pair, a, b)
                                                     : rate_of(c, pair, a, b);
    add_axis(j, static_cast<int>(i), pair, rate);
  }
  fill_block(j);
  rows_.insert(rows_.end(), bounded_.begin(), bounded_.end());
  fill_block(j);
}

/// Completes the last block with rows that hold nothing.
void JointRowSet::fill_block(int j) {
  while (rows_.size() % 3 != 0) {
    Row padding;
    padding.joint = j;
    padding.lo = -kInfinity;
    padding.hi = kInfinity;
    padding.compliance = h_ * h_;
    rows_.push_back(padding);
  }
}

/// Rows without bounds fill the first blocks of a joint, the others follow.
void JointRowSet::add_row(const Row& row) {
  const bool bounded = row.lo > -kInfinity || row.hi < kInfinity;
  (bounded ? bounded_ : rows_).push_back(row);
}

/// (C(q) - C(q - h v)) / h: velocities are differences of positions, and the rate that belongs to
/// them is that of the step which ended here. J(q) v would be off by half of h dJ/dt v, an error of
/// the acceleration that does not fall with h.
double JointRowSet::rate_until_now(const Joint& joint, const JointCoordinate& c,
                                   const FramePair& pair, const BodyState& a,
                                   const BodyState& b) const {
  const auto before = [&](BodyState state) {
    state.x -= h_ * state.v;
    state.q = normalized(rotation_exp(-h_ * state.w) * state.q);
    state.R = rotation_matrix(state.q);
    return state;
  };
  const FramePair then = place_frames(before(a), joint.frame_a, before(b), joint.frame_b);
  const double now = coordinate_gradient(c, pair).value;
  return (now - unwrapped(c, coordinate_gradient(c, then).value, now)) / h_;
}

JointRowSet::Row JointRowSet::new_row(Role role, int j, int index, const JointCoordinate& c,
                                      const FramePair& pair) const {
  Row row;
  row.role = role;
  row.index = static_cast<std::uint8_t>(index);
  row.joint = j;
  row.coordinate = c;
  row.start = coordinate_gradient(c, pair);
  row.reference = row.start.value;
  row.lo = -kInfinity;
  row.hi = kInfinity;
  return row;
}

void JointRowSet::add_hold(int j, int index, const FramePair& pair) {
  const JointRow& held = joints_[at(j)].rows[at(index)];
  Row row = new_row(Role::kHold, j, index, held.coordinate, pair);
  row.reference = unwrapped(held.coordinate, row.reference, held.target);
  const double lag = held.compliance * held.damping;
  row.offset = (h_ * held.target + lag * row.reference) / (h_ + lag);
  row.compliance = h_ * held.compliance / (h_ + lag);
  add_row(row);
}

void JointRowSet::add_axis(int j, int index, const FramePair& pair, double rate) {
  const JointAxis& axis = joints_[at(j)].axes[at(index)];
  double& turns = turns_[at(axis_begin_[at(j)] + index)];
  Row row = new_row(Role::kLower, j, index, axis.coordinate, pair);
  row.reference = turns = unwrapped(axis.coordinate, row.reference, turns);
  add_limits(axis, rate, row);
  if (axis.drive.on()) add_drive(axis.drive, row);
  if (axis.passive()) add_passive(axis, rate, row);
  if (axis.friction > 0.0) {
    row.role = Role::kFriction;
    row.offset = row.reference;
    row.lo = -h_ * axis.friction;
    row.hi = h_ * axis.friction;
    add_row(row);
  }
}

void JointRowSet::add_limits(const JointAxis& axis, double rate, Row row) {
  const double below = row.reference - axis.limit.lower;
  const double above = axis.limit.upper - row.reference;
  const bool one = axis.coordinate.angular() && below + above > kWideRange &&
                   std::max(below, above) > kReach * h_ * std::abs(rate);
  row.lo = 0.0;
  if (axis.limit.lower > -kInfinity && (!one || below <= above)) {
    row.offset = axis.limit.lower;
    add_row(row);
  }
  if (axis.limit.upper < kInfinity && (!one || above < below)) {
    row.role = Role::kUpper;
    row.sign = -1.0;
    row.offset = axis.limit.upper;
    add_row(row);
  }
}

void JointRowSet::add_drive(const JointDrive& drive, Row row) {
  const double gain = h_ * drive.stiffness + drive.damping;
  row.role = Role::kDrive;
  row.offset =
      (h_ * drive.stiffness * drive.target + drive.damping * (row.reference + h_ * drive.speed)) /
      gain;
  row.compliance = h_ / gain;
  row.lo = h_ * std::max(-drive.max_effort, drive.effort.lower);
  row.hi = h_ * std::min(drive.max_effort, drive.effort.upper);
  add_row(row);
}

void JointRowSet::add_passive(const JointAxis& axis, double rate, Row row) {
  const JointSpring& spring = axis.spring;
  const double gain = h_ * spring.stiffness + spring.damping + axis.armature / h_;
  row.role = Role::kPassive;
  row.offset = (h_ * spring.stiffness * spring.rest + spring.damping * row.reference +
                axis.armature * (row.reference / h_ + rate)) /
               gain;
  row.compliance = h_ / gain;
  add_row(row);
}

NodeList JointRowSet::nodes(int k) const {
  const Joint& joint = joints_[at(row(k, 0).joint)];
  NodeList list;
  for (const int body : {joint.body_a, joint.body_b}) {
    list.push(linear_node(body));
    list.push(angular_node(body));
  }
  return list;
}

RowLaw JointRowSet::law(int k, double) const {
  RowLaw law;
  law.kind = RowLaw::Kind::kBox;
  for (int i = 0; i < 3; ++i) {
    law.lo[i] = row(k, i).lo;
    law.hi[i] = row(k, i).hi;
  }
  return law;
}

Vec3 JointRowSet::compliance(int k, double) const {
  return {row(k, 0).compliance, row(k, 1).compliance, row(k, 2).compliance};
}

/// The joint and what its three rows are for: switching a drive on moves no other impulse.
std::uint64_t JointRowSet::id(int k) const {
  std::uint64_t id = (std::uint64_t{3} << 38U) | static_cast<std::uint64_t>(row(k, 0).joint);
  for (int i = 0; i < 3; ++i) {
    id = id << 8U | static_cast<std::uint64_t>(row(k, i).role) << 5U | row(k, i).index;
  }
  return id;
}

FramePair JointRowSet::frames(const Joint& joint, const Configuration& where) const {
  return place_frames(where.body(joint.body_a), joint.frame_a, where.body(joint.body_b),
                      joint.frame_b);
}

/// Value at the present frames; directions there or at the start of the step.
CoordinateGradient JointRowSet::gradient(const Row& row, const FramePair& pair) const {
  CoordinateGradient now = coordinate_gradient(row.coordinate, pair);
  now.value = unwrapped(row.coordinate, now.value, row.reference);
  if (directions_ == ForceDirections::kEndOfStep) return now;
  CoordinateGradient start = row.start;
  start.value = now.value;
  return start;
}

void JointRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  evaluate(k, frames(joints_[at(row(k, 0).joint)], where), out);
}

/// Blocks of one joint have its frames in common.
template <class Wanted, class Visit>
void JointRowSet::visit_run(int first, std::size_t count, const Configuration& where,
                            const Wanted& wanted, const Visit& visit) const {
  FramePair pair;
  int joint = -1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!wanted(i)) continue;
    const int k = first + static_cast<int>(i);
    if (row(k, 0).joint != joint) {
      joint = row(k, 0).joint;
      pair = frames(joints_[at(joint)], where);
    }
    visit(k, i, pair);
  }
}

void JointRowSet::evaluate_run(int first, const Configuration& where,
                               std::span<RowBlock> out) const {
  visit_run(
      first, out.size(), where, [](std::size_t) { return true; },
      [&](int k, std::size_t i, const FramePair& pair) { evaluate(k, pair, out[i]); });
}

void JointRowSet::evaluate(int k, const FramePair& pair, RowBlock& out) const {
  for (int i = 0; i < 3; ++i) {
    const Row& r = row(k, i);
    CoordinateGradient g;
    if (r.role != Role::kPadding) g = gradient(r, pair);
    out.value[i] = r.sign * (g.value - r.offset) / h_;
    set_row(out.J[0], i, r.sign * g.linear);
    set_row(out.J[1], i, r.sign * g.angular_a);
    set_row(out.J[2], i, -r.sign * g.linear);
    set_row(out.J[3], i, r.sign * g.angular_b);
  }
}

void JointRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                std::span<Mat3> K) const {
  add_stiffness_run(k, where, std::span(&r, 1), K);
}

void JointRowSet::add_stiffness_run(int first, const Configuration& where, std::span<const Vec3> r,
                                    std::span<Mat3> K) const {
  if (directions_ == ForceDirections::kStartOfStep) return;  // they do not turn
  const auto pushes = [&](std::size_t i) {
    return r[i][0] != 0.0 || r[i][1] != 0.0 || r[i][2] != 0.0;
  };
  visit_run(first, r.size(), where, pushes, [&](int k, std::size_t i, const FramePair& pair) {
    add_stiffness(k, where, pair, r[i], K);
  });
}

void JointRowSet::add_stiffness(int k, const Configuration& where, const FramePair& pair,
                                const Vec3& r, std::span<Mat3> K) const {
  CoordinateCurvature sum;
  for (int i = 0; i < 3; ++i) {
    if (row(k, i).role == Role::kPadding || r[i] == 0.0) continue;
    const CoordinateCurvature c = coordinate_curvature(row(k, i).coordinate, pair);
    const double impulse = row(k, i).sign * r[i];
    sum.linear += impulse * c.linear;
    sum.angular_a += impulse * c.angular_a;
    sum.angular_b += impulse * c.angular_b;
  }
  const auto add = [&](int body, const Mat3& angular) {
    if (!where.body(body).dynamic) return;
    K[at(linear_node(body))] += sum.linear;
    K[at(angular_node(body))] += angular;
  };
  const Joint& joint = joints_[at(row(k, 0).joint)];
  add(joint.body_a, sum.angular_a);
  add(joint.body_b, sum.angular_b);
}

double JointRowSet::position(int j, int axis, const Configuration& where) const {
  const Joint& joint = joints_[at(j)];
  const JointCoordinate& c = joint.axes[at(axis)].coordinate;
  const double value = coordinate_gradient(c, frames(joint, where)).value;
  return unwrapped(c, value, turns_[at(axis_begin_[at(j)] + axis)]);
}

double JointRowSet::speed(int j, int axis, const Configuration& where) const {
  const Joint& joint = joints_[at(j)];
  return rate_of(joint.axes[at(axis)].coordinate, frames(joint, where), where.body(joint.body_a),
                 where.body(joint.body_b));
}

double JointRowSet::position(int j, int axis, const std::vector<Body>& bodies) const {
  const Joint& joint = joints_[at(j)];
  const JointCoordinate& c = joint.axes[at(axis)].coordinate;
  const FramePair pair = place_frames(state_of(bodies[at(joint.body_a)]), joint.frame_a,
                                      state_of(bodies[at(joint.body_b)]), joint.frame_b);
  return unwrapped(c, coordinate_gradient(c, pair).value, turns_[at(axis_begin_[at(j)] + axis)]);
}

double JointRowSet::speed(int j, int axis, const std::vector<Body>& bodies) const {
  const Joint& joint = joints_[at(j)];
  const BodyState a = state_of(bodies[at(joint.body_a)]);
  const BodyState b = state_of(bodies[at(joint.body_b)]);
  return rate_of(joint.axes[at(axis)].coordinate, place_frames(a, joint.frame_a, b, joint.frame_b),
                 a, b);
}

JointReaction JointRowSet::reaction(int j, const Configuration& where,
                                    std::span<const Vec3> impulses) const {
  const Joint& joint = joints_[at(j)];
  const FramePair pair = frames(joint, where);
  JointReaction total;
  Vec3 arm = pair.arm_b;
  for (int k = block_begin_[at(j)]; k < block_begin_[at(j + 1)]; ++k) {
    for (int i = 0; i < 3; ++i) {
      const Row& r = row(k, i);
      if (r.role == Role::kPadding) continue;
      const CoordinateGradient g = gradient(r, pair);
      const double effort = r.sign * impulses[at(k)][i] / h_;
      total.force -= effort * g.linear;
      total.torque += effort * g.angular_b;
    }
  }
  total.torque -= cross(arm, total.force);
  return total;
}

double JointRowSet::drive_effort(int j, int axis, std::span<const Vec3> impulses) const {
  for (int k = block_begin_[at(j)]; k < block_begin_[at(j + 1)]; ++k) {
    for (int i = 0; i < 3; ++i) {
      if (row(k, i).role == Role::kDrive && row(k, i).index == axis) {
        return impulses[at(k)][i] / h_;
      }
    }
  }
  return 0.0;
}

JointDrift JointRowSet::drift(const Configuration& where) const {
  JointDrift drift;
  for (int k = 0; k < size(); ++k) {
    const FramePair pair = frames(joints_[at(row(k, 0).joint)], where);
    for (int i = 0; i < 3; ++i) {
      const Row& r = row(k, i);
      if (r.role != Role::kHold || r.compliance > 0.0) continue;
      const double value =
          unwrapped(r.coordinate, coordinate_gradient(r.coordinate, pair).value, r.reference);
      double& worst = r.coordinate.angular() ? drift.angle : drift.distance;
      worst = std::max(worst, std::abs(value - r.offset));
    }
  }
  for (int j = 0; j < num_joints(); ++j) {
    for (int axis = 0; axis < static_cast<int>(joints_[at(j)].axes.size()); ++axis) {
      const JointLimit& limit = joints_[at(j)].axes[at(axis)].limit;
      if (limit.lower == -kInfinity && limit.upper == kInfinity) continue;
      const double value = position(j, axis, where);
      drift.limit_excess = std::max({drift.limit_excess, limit.lower - value, value - limit.upper});
    }
  }
  return drift;
}

}  // namespace nsn
