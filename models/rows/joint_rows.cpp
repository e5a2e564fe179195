#include "nsn/models/rows/joint_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/rotation_kernels.h"
#include "nsn/core/base/types.h"
#include "nsn/core/rows/curvature_kernels.h"
#include "nsn/models/joints/joint_coordinate.h"

namespace nsn {
namespace {

/// Limits of an angle so far apart (rad) are met one at a time, unless the coordinate is so fast
/// that it would come within a kReach-th of the way to the farther one.
constexpr double kWideRange = 0.5;
constexpr double kReach = 8.0;
constexpr int kPart = 256;  // joints whose rows are made by one thread

using joint_kernels::unwrapped;

BodyState state_of(const ConstBodyRef& body) {
  return {body.position,  rotation_matrix(body.orientation),
          body.velocity,  body.angular_velocity,
          body.dynamic(), body.orientation};
}

double rate_of(const JointCoordinate& c, const FramePair& pair, const BodyState& a,
               const BodyState& b) {
  const CoordinateGradient g = coordinate_gradient(c, pair);
  return dot(g.linear, a.v - b.v) + dot(g.angular_a, a.w) + dot(g.angular_b, b.w);
}

/// (C(q) - C(q - h v)) / h with C(q) = value: velocities are differences of positions, and the rate
/// that belongs to them is that of the step which ended here. J(q) v would be off by half of
/// h dJ/dt v, an error of the acceleration that does not fall with h.
double rate_since(const JointCoordinate& c, const FramePair& before, double value, double h) {
  return (value - unwrapped(c, coordinate_value(c, before), value)) / h;
}

bool limited(const JointLimit& limit) {
  return limit.lower > -kInfinity || limit.upper < kInfinity;
}

bool pushes(const Vec3& r) {
  return r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0;
}

/// The first three rows are d = target, in world axes.
bool holds_points(const Joint& joint) {
  for (int i = 0; i < 3; ++i) {
    const JointCoordinate& c = joint.rows[to_size(i)].coordinate;
    if (c.kind != JointCoordinate::Kind::kPoint || c.i != i) return false;
  }
  return true;
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

/// Joints are cut into parts of fixed length, one after the other or spread over threads: the same
/// rows.
void JointRowSet::start_step(const Bodies& bodies, double h, ForceDirections directions) {
  h_ = h;
  directions_ = directions;
  block_begin_.resize(joints_.size() + 1);
  const int parts = std::max(1, (num_joints() + kPart - 1) / kPart);
  parts_.resize(std::max(parts_.size(), to_size(parts)));
  const auto last_joint = [&](int part) { return std::min(num_joints(), (part + 1) * kPart); };
  const auto for_parts = [&](const auto& body) {
    for_range(
        parts,
        [&](int first, int last) {
          for (int k = first; k < last; ++k) body(k);
        },
        1);
  };
  for_parts([&](int k) { add_joints(kPart * k, last_joint(k), bodies, parts_[to_size(k)]); });
  std::size_t rows = 0;
  for (int k = 0; k < parts; ++k) {
    if (parts_[to_size(k)].error) std::rethrow_exception(parts_[to_size(k)].error);
    parts_[to_size(k)].begin = rows;
    rows += parts_[to_size(k)].rows.size();
  }
  rows_.resize(rows);
  for_parts([&](int k) {
    const Part& part = parts_[to_size(k)];
    for (int j = kPart * k; j < last_joint(k); ++j) {
      block_begin_[to_size(j)] += static_cast<int>(part.begin / 3);
    }
    std::copy(part.rows.begin(), part.rows.end(),
              rows_.begin() + static_cast<std::ptrdiff_t>(part.begin));
  });
  block_begin_[joints_.size()] = size();
  start_.clear();
  if (directions_ == ForceDirections::kStartOfStep) keep_directions(bodies);
}

/// block_begin_ counts from the first of these joints.
void JointRowSet::add_joints(int first, int last, const Bodies& bodies, Part& out) {
  out.rows.clear();
  out.error = nullptr;
  try {
    for (int j = first; j < last; ++j) {
      const Joint& joint = joints_[to_size(j)];
      validate(joint, j, static_cast<int>(bodies.size()));
      block_begin_[to_size(j)] = static_cast<int>(out.rows.size() / 3);
      add_rows(j, state_of(bodies[to_size(joint.body_a)]), state_of(bodies[to_size(joint.body_b)]),
               out);
    }
  } catch (...) {
    out.error = std::current_exception();
  }
}

void JointRowSet::keep_directions(const Bodies& bodies) {
  for (const Row& row : rows_) {
    const Joint& joint = joints_[to_size(row.joint)];
    const FramePair pair = place_frames(state_of(bodies[to_size(joint.body_a)]), joint.frame_a,
                                        state_of(bodies[to_size(joint.body_b)]), joint.frame_b);
    start_.push_back(row.role == Role::kPadding ? CoordinateGradient{}
                                                : coordinate_gradient(row.coordinate, pair));
  }
}

void JointRowSet::add_rows(int j, const BodyState& a, const BodyState& b, Part& out) {
  const Joint& joint = joints_[to_size(j)];
  const FramePair pair = place_frames(a, joint.frame_a, b, joint.frame_b);
  out.bounded.clear();
  const std::size_t first = out.rows.size();
  for (std::size_t i = 0; i < joint.rows.size(); ++i) add_hold(j, static_cast<int>(i), pair, out);
  if (joint.rows.size() >= 3) {
    out.rows[first].points = directions_ == ForceDirections::kEndOfStep && holds_points(joint);
  }
  const bool heavy = std::any_of(joint.axes.begin(), joint.axes.end(),
                                 [](const JointAxis& axis) { return axis.armature > 0.0; });
  const FramePair before = heavy ? frames_before(joint, a, b) : pair;
  for (std::size_t i = 0; i < joint.axes.size(); ++i) {
    const JointAxis& axis = joint.axes[i];
    const double value = coordinate_value(axis.coordinate, pair);
    double rate = 0.0;  // where nothing asks for it
    if (axis.armature > 0.0) {
      rate = rate_since(axis.coordinate, before, value, h_);
    } else if (limited(axis.limit)) {
      rate = rate_of(axis.coordinate, pair, a, b);
    }
    add_axis(j, static_cast<int>(i), value, rate, out);
  }
  fill_block(j, out);
  out.rows.insert(out.rows.end(), out.bounded.begin(), out.bounded.end());
  fill_block(j, out);
}

void JointRowSet::Part::add(const Row& row) {
  const bool is_bounded = row.lo > -kInfinity || row.hi < kInfinity;
  (is_bounded ? bounded : rows).push_back(row);
}

/// Completes the last block with rows that hold nothing.
void JointRowSet::fill_block(int j, Part& out) const {
  while (out.rows.size() % 3 != 0) {
    Row padding;
    padding.joint = j;
    padding.lo = -kInfinity;
    padding.hi = kInfinity;
    padding.compliance = h_ * h_;
    out.rows.push_back(padding);
  }
}

/// Where the step that ended here began, by its velocities.
NSN_KERNEL FramePair JointRowSet::frames_before(const Joint& joint, const BodyState& a,
                                                const BodyState& b) const {
  const auto before = [this](const BodyState& now) {
    BodyState state;
    state.x = now.x - h_ * now.v;
    state.q = rotation_kernels::unit_length(rotation_kernels::exp(-h_ * now.w) * now.q);
    state.R = rotation_matrix(state.q);
    return state;
  };
  return joint_kernels::place(before(a), joint.frame_a, before(b), joint.frame_b);
}

JointRowSet::Row JointRowSet::new_row(Role role, int j, int index, const JointCoordinate& c,
                                      double reference) const {
  Row row;
  row.role = role;
  row.padding = false;
  row.index = static_cast<std::uint8_t>(index);
  if (role != Role::kHold && index < kSharedAxes) row.axis = static_cast<std::int8_t>(index);
  row.joint = j;
  row.coordinate = c;
  row.reference = reference;
  row.lo = -kInfinity;
  row.hi = kInfinity;
  return row;
}

void JointRowSet::add_hold(int j, int index, const FramePair& pair, Part& out) const {
  const JointRow& held = joints_[to_size(j)].rows[to_size(index)];
  const double value = coordinate_value(held.coordinate, pair);
  Row row = new_row(Role::kHold, j, index, held.coordinate,
                    unwrapped(held.coordinate, value, held.target));
  const double lag = held.compliance * held.damping;
  row.offset = (h_ * held.target + lag * row.reference) / (h_ + lag);
  row.compliance = h_ * held.compliance / (h_ + lag);
  out.add(row);
}

void JointRowSet::add_axis(int j, int index, double value, double rate, Part& out) {
  const JointAxis& axis = joints_[to_size(j)].axes[to_size(index)];
  double& turns = turns_[to_size(axis_begin_[to_size(j)] + index)];
  turns = unwrapped(axis.coordinate, value, turns);
  Row row = new_row(Role::kLower, j, index, axis.coordinate, turns);
  add_limits(axis, rate, row, out);
  if (axis.drive.on()) add_drive(axis.drive, row, out);
  if (axis.passive()) add_passive(axis, rate, row, out);
  if (axis.friction > 0.0) {
    row.role = Role::kFriction;
    row.offset = row.reference;
    row.lo = -h_ * axis.friction;
    row.hi = h_ * axis.friction;
    out.add(row);
  }
}

void JointRowSet::add_limits(const JointAxis& axis, double rate, Row row, Part& out) const {
  const double below = row.reference - axis.limit.lower;
  const double above = axis.limit.upper - row.reference;
  const bool one = axis.coordinate.angular() && below + above > kWideRange &&
                   std::max(below, above) > kReach * h_ * std::abs(rate);
  row.lo = 0.0;
  if (axis.limit.lower > -kInfinity && (!one || below <= above)) {
    row.offset = axis.limit.lower;
    out.add(row);
  }
  if (axis.limit.upper < kInfinity && (!one || above < below)) {
    row.role = Role::kUpper;
    row.sign = -1.0;
    row.offset = axis.limit.upper;
    out.add(row);
  }
}

void JointRowSet::add_drive(const JointDrive& drive, Row row, Part& out) const {
  const double gain = h_ * drive.stiffness + drive.damping;
  row.role = Role::kDrive;
  row.offset =
      (h_ * drive.stiffness * drive.target + drive.damping * (row.reference + h_ * drive.speed)) /
      gain;
  row.compliance = h_ / gain;
  row.lo = h_ * std::max(-drive.max_effort, drive.effort.lower);
  row.hi = h_ * std::min(drive.max_effort, drive.effort.upper);
  out.add(row);
}

void JointRowSet::add_passive(const JointAxis& axis, double rate, Row row, Part& out) const {
  const JointSpring& spring = axis.spring;
  const double gain = h_ * spring.stiffness + spring.damping + axis.armature / h_;
  row.role = Role::kPassive;
  row.offset = (h_ * spring.stiffness * spring.rest + spring.damping * row.reference +
                axis.armature * (row.reference / h_ + rate)) /
               gain;
  row.compliance = h_ / gain;
  out.add(row);
}

NodeList JointRowSet::nodes(int k) const {
  const Joint& joint = joints_[to_size(row(k, 0).joint)];
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
NSN_INLINE CoordinateGradient JointRowSet::gradient(const Row& row, const FramePair& pair) const {
  CoordinateGradient g = joint_kernels::gradient(row.coordinate, pair);
  const double value = unwrapped(row.coordinate, g.value, row.reference);
  if (!start_.empty()) g = start_[static_cast<std::size_t>(&row - rows_.data())];
  g.value = value;
  return g;
}

void JointRowSet::evaluate(int k, const Configuration& where, RowBlock& out) const {
  const BodyPairEntries entries = body_pair_entries(out);
  evaluate(k, std::span(&entries, 1), where);
}

void JointRowSet::evaluate_run(int first, std::size_t count, const Configuration& where,
                               const RowTarget& out) const {
  std::array<double, kBlockSize> unused;
  std::array<BodyPairEntries, kBlocksAtOnce> entries;
  for (std::size_t i = 0; i < count;) {
    const int k = first + static_cast<int>(i);
    const int end = block_begin_[to_size(row(k, 0).joint + 1)];
    const std::size_t together = std::min({count - i, to_size(end - k), entries.size()});
    for (std::size_t n = 0; n < together; ++n) entries[n] = out.body_pair(i + n, unused);
    evaluate(k, std::span(entries).first(together), where);
    i += together;
  }
}

/// The rows of an axis count whole turns from one reference: they have one gradient.
NSN_KERNEL void JointRowSet::evaluate(int k, std::span<const BodyPairEntries> blocks,
                                      const Configuration& where) const {
  const Joint& joint = joints_[to_size(row(k, 0).joint)];
  const FramePair pair = joint_kernels::place(where.body(joint.body_a), joint.frame_a,
                                              where.body(joint.body_b), joint.frame_b);
  std::array<std::optional<CoordinateGradient>, kSharedAxes> axis;
  for (const BodyPairEntries& out : blocks) {
    const Row* const rows = &row(k++, 0);
    if (rows[0].points) {
      joint_kernels::evaluate_points({rows[0].offset, rows[1].offset, rows[2].offset}, pair, h_,
                                     out);
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      const Row& r = rows[i];
      if (r.padding) {
        joint_kernels::evaluate_padding(i, out);
        continue;
      }
      CoordinateGradient g;
      if (r.axis >= 0 && axis[to_size(r.axis)]) {
        g = *axis[to_size(r.axis)];
      } else {
        g = gradient(r, pair);
        if (r.axis >= 0) axis[to_size(r.axis)] = g;
      }
      joint_kernels::evaluate_row(i, g, r.sign, r.offset, h_, out);
    }
  }
}

bool JointRowSet::record(int k, const RecordTarget& to) const {
  const int j = row(k, 0).joint;
  const Joint& joint = joints_[to_size(j)];
  JointRecord record;
  record.frame_a = joint.frame_a;
  record.frame_b = joint.frame_b;
  record.points = row(k, 0).points;
  for (int i = 0; i < 3; ++i) record.rows[i] = static_cast<const JointRowRecord&>(row(k, i));
  if (k == block_begin_[to_size(j)]) record.blocks = block_begin_[to_size(j + 1)] - k;
  if (!start_.empty()) {
    record.kept = static_cast<Index>(to.records.directions.size());
    const auto first = start_.begin() + 3 * k;
    to.records.directions.insert(to.records.directions.end(), first, first + 3);
  }
  record.a = to.body(joint.body_a);
  record.b = to.body(joint.body_b);
  record.row = to.row;
  std::copy_n(to.slot, 4, record.slot);
  to.records.joints.push_back(record);
  return true;
}

void JointRowSet::add_stiffness(int k, const Configuration& where, const Vec3& r,
                                std::span<Mat3> K) const {
  add_stiffness_run(k, where, std::span(&r, 1), K);
}

void JointRowSet::add_stiffness_run(int first, const Configuration& where, std::span<const Vec3> r,
                                    std::span<Mat3> K) const {
  if (directions_ == ForceDirections::kStartOfStep) return;  // they do not turn
  for (std::size_t i = 0; i < r.size();) {
    const int k = first + static_cast<int>(i);
    const int end =
        std::min(block_begin_[to_size(row(k, 0).joint + 1)], first + static_cast<int>(r.size()));
    const std::size_t count = to_size(end - k);
    add_joint_stiffness(k, where, r.subspan(i, count), K);
    i += count;
  }
}

/// Of blocks k, k + 1, ... of one joint.
NSN_KERNEL void JointRowSet::add_joint_stiffness(int k, const Configuration& where,
                                                 std::span<const Vec3> r, std::span<Mat3> K) const {
  if (std::none_of(r.begin(), r.end(), [](const Vec3& one) { return pushes(one); })) return;
  const Joint& joint = joints_[to_size(row(k, 0).joint)];
  const FramePair pair = joint_kernels::place(where.body(joint.body_a), joint.frame_a,
                                              where.body(joint.body_b), joint.frame_b);
  joint_kernels::JointCurvature curvature;
  for (const Vec3& impulse : r) {
    if (row(k, 0).points) {
      curvature.add_points(pair, impulse);
    } else {
      for (int i = 0; i < 3; ++i) curvature.add_row(row(k, i), pair, impulse[i]);
    }
    ++k;
  }
  const CoordinateCurvature& sum = curvature.sum(pair);
  const auto add = [&](int body, const Mat3& angular) {
    if (!where.body(body).dynamic) return;
    K[to_size(linear_node(body))] += sum.linear;
    K[to_size(angular_node(body))] += angular;
  };
  add(joint.body_a, sum.angular_a);
  add(joint.body_b, sum.angular_b);
}

double JointRowSet::position(int j, int axis, const Configuration& where) const {
  const Joint& joint = joints_[to_size(j)];
  const JointCoordinate& c = joint.axes[to_size(axis)].coordinate;
  return unwrapped(c, coordinate_value(c, frames(joint, where)), turn(j, axis));
}

double JointRowSet::speed(int j, int axis, const Configuration& where) const {
  const Joint& joint = joints_[to_size(j)];
  return rate_of(joint.axes[to_size(axis)].coordinate, frames(joint, where),
                 where.body(joint.body_a), where.body(joint.body_b));
}

double JointRowSet::position(int j, int axis, const Bodies& bodies) const {
  const Joint& joint = joints_[to_size(j)];
  const JointCoordinate& c = joint.axes[to_size(axis)].coordinate;
  const FramePair pair = place_frames(state_of(bodies[to_size(joint.body_a)]), joint.frame_a,
                                      state_of(bodies[to_size(joint.body_b)]), joint.frame_b);
  return unwrapped(c, coordinate_value(c, pair), turn(j, axis));
}

double JointRowSet::speed(int j, int axis, const Bodies& bodies) const {
  const Joint& joint = joints_[to_size(j)];
  const BodyState a = state_of(bodies[to_size(joint.body_a)]);
  const BodyState b = state_of(bodies[to_size(joint.body_b)]);
  return rate_of(joint.axes[to_size(axis)].coordinate,
                 place_frames(a, joint.frame_a, b, joint.frame_b), a, b);
}

JointReaction JointRowSet::reaction(int j, const Configuration& where,
                                    std::span<const Vec3> impulses) const {
  const Joint& joint = joints_[to_size(j)];
  const FramePair pair = frames(joint, where);
  JointReaction total;
  Vec3 arm = pair.arm_b;
  for (int k = block_begin_[to_size(j)]; k < block_begin_[to_size(j + 1)]; ++k) {
    for (int i = 0; i < 3; ++i) {
      const Row& r = row(k, i);
      if (r.role == Role::kPadding) continue;
      const CoordinateGradient g = gradient(r, pair);
      const double effort = r.sign * impulses[to_size(k)][i] / h_;
      total.force -= effort * g.linear;
      total.torque += effort * g.angular_b;
    }
  }
  total.torque -= cross(arm, total.force);
  return total;
}

double JointRowSet::drive_effort(int j, int axis, std::span<const Vec3> impulses) const {
  for (int k = block_begin_[to_size(j)]; k < block_begin_[to_size(j + 1)]; ++k) {
    for (int i = 0; i < 3; ++i) {
      if (row(k, i).role == Role::kDrive && row(k, i).index == axis) {
        return impulses[to_size(k)][i] / h_;
      }
    }
  }
  return 0.0;
}

JointDrift JointRowSet::drift(const Configuration& where) const {
  JointDrift drift;
  for (int j = 0; j < num_joints(); ++j) add_drift(j, where, drift);
  return drift;
}

void JointRowSet::add_drift(int j, const Configuration& where, JointDrift& drift) const {
  const Joint& joint = joints_[to_size(j)];
  const FramePair pair = frames(joint, where);
  for (int k = block_begin_[to_size(j)]; k < block_begin_[to_size(j + 1)]; ++k) {
    for (int i = 0; i < 3; ++i) {
      const Row& r = row(k, i);
      if (r.role != Role::kHold || r.compliance > 0.0) continue;
      const double value =
          unwrapped(r.coordinate, coordinate_value(r.coordinate, pair), r.reference);
      double& worst = r.coordinate.angular() ? drift.angle : drift.distance;
      worst = std::max(worst, std::abs(value - r.offset));
    }
  }
  for (int k = 0; k < static_cast<int>(joint.axes.size()); ++k) {
    const JointAxis& axis = joint.axes[to_size(k)];
    if (!limited(axis.limit)) continue;
    const double value =
        unwrapped(axis.coordinate, coordinate_value(axis.coordinate, pair), turn(j, k));
    drift.limit_excess =
        std::max({drift.limit_excess, axis.limit.lower - value, value - axis.limit.upper});
  }
}

}  // namespace nsn
