/// Joints as rows: what holds, limits, drives and brakes them, three scalar rows a block.
///
///   v = s (C(q) - c) / h + E r,    lo <= r <= hi        (models/joints/joint.h: c, E and bounds)
///
/// The rows of a joint fill blocks of their own: first those without bounds, which a method may
/// eliminate (RowLaw::unbounded), then those with bounds; the last block of each is padded. Of two
/// limits of an angle more than kWideRange apart only the nearer one is a row: the other cannot be
/// met in one step. Rows beyond what a joint needs (a second joint that holds the same thing, a
/// closed loop) are normal input.
///
/// Force directions. The impulse acts along J(q)^T. With q the end of the step (the default) the
/// step is fully implicit: stable, and dissipative of first order. With q the start of the step the
/// rows still hold at the end, but nothing is dissipated: positions and impulses follow Verlet's
/// scheme (velocities of a motion from rest are then accurate to second order). That is the choice
/// for comparison with references; it is not stable under strong tension.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "nsn/models/joints/joint.h"
#include "nsn/models/joints/joint_reaction.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {

class JointRowSet final : public RowSet {
 public:
  /// Returns the joint's index. Throws std::invalid_argument naming the joint.
  int add(Joint joint, int num_bodies);

  const std::vector<Joint>& joints() const { return joints_; }
  Joint& joint(int j) { return joints_[static_cast<std::size_t>(j)]; }
  const Joint& joint(int j) const { return joints_[static_cast<std::size_t>(j)]; }
  int num_joints() const { return static_cast<int>(joints_.size()); }

  /// Takes the joints and the bodies as they are at the start of a step. Everything below is valid
  /// after it.
  void start_step(const Bodies& bodies, double h, ForceDirections directions);

  int size() const override { return static_cast<int>(rows_.size() / 3); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void evaluate_run(int first, std::size_t count, const Configuration& at,
                    const RowTarget& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;
  void add_stiffness_run(int first, const Configuration& at, std::span<const Vec3> r,
                         std::span<Mat3> K) const override;
  bool record(int k, const RecordTarget& to) const override;

  /// Last value of every axis, joint by joint: which turn a periodic coordinate is in.
  std::span<double> turns() { return turns_; }
  std::span<const double> turns() const { return turns_; }
  /// Says in which turn a periodic coordinate is; without it the one next to 0.
  void set_turn(int j, int axis, double value) {
    turns_[static_cast<std::size_t>(axis_begin_[static_cast<std::size_t>(j)] + axis)] = value;
  }
  /// Free coordinate `axis` of joint j at a configuration: m or rad, whole turns counted.
  double position(int j, int axis, const Configuration& at) const;
  /// The same where the bodies are now.
  double position(int j, int axis, const Bodies& bodies) const;
  /// Its rate, m/s or rad/s.
  double speed(int j, int axis, const Configuration& at) const;
  double speed(int j, int axis, const Bodies& bodies) const;
  /// impulses: one per block, of the step that ended at `at`.
  JointReaction reaction(int j, const Configuration& at, std::span<const Vec3> impulses) const;
  /// Effort of the drive along its coordinate, N or N m.
  double drive_effort(int j, int axis, std::span<const Vec3> impulses) const;
  JointDrift drift(const Configuration& at) const;

 private:
  enum class Role : std::uint8_t { kPadding, kHold, kLower, kUpper, kDrive, kFriction, kPassive };
  /// offset: c; reference: C0, from which whole turns are counted.
  struct Row : JointRowRecord {
    Role role = Role::kPadding;
    bool points = false;     // this row and the next two hold the points of the frames together
    std::uint8_t index = 0;  // of joint.rows or joint.axes
    int joint = 0;
    double compliance = 0.0;
    double lo = 0.0;
    double hi = 0.0;
  };
  /// Rows of some joints while they are made.
  struct Part {
    std::vector<Row> rows;
    std::vector<Row> bounded;  // of the joint whose rows are being added
    std::size_t begin = 0;     // of these rows among all
    std::exception_ptr error;  // of a joint that is not valid

    /// Rows without bounds fill the first blocks of a joint, the others follow.
    void add(const Row& row);
  };
  static constexpr std::size_t kBlocksAtOnce = 4;
  void add_joints(int first, int last, const Bodies& bodies, Part& out);
  void add_rows(int j, const BodyState& a, const BodyState& b, Part& out);
  void fill_block(int j, Part& out) const;
  void add_hold(int j, int index, const FramePair& pair, Part& out) const;
  void add_axis(int j, int index, double value, double rate, Part& out);
  void add_limits(const JointAxis& axis, double rate, Row row, Part& out) const;
  void add_drive(const JointDrive& drive, Row row, Part& out) const;
  void add_passive(const JointAxis& axis, double rate, Row row, Part& out) const;
  FramePair frames_before(const Joint& joint, const BodyState& a, const BodyState& b) const;
  Row new_row(Role role, int j, int index, const JointCoordinate& c, double reference) const;
  void keep_directions(const Bodies& bodies);
  FramePair frames(const Joint& joint, const Configuration& at) const;
  /// Blocks k, k + 1, ... of one joint.
  void evaluate(int k, std::span<const BodyPairEntries> blocks, const Configuration& at) const;
  void add_joint_stiffness(int k, const Configuration& at, std::span<const Vec3> r,
                           std::span<Mat3> K) const;
  const Row& row(int k, int i) const { return rows_[static_cast<std::size_t>(3 * k + i)]; }
  CoordinateGradient gradient(const Row& row, const FramePair& pair) const;
  void add_drift(int j, const Configuration& at, JointDrift& drift) const;
  double turn(int j, int axis) const {
    return turns_[static_cast<std::size_t>(axis_begin_[static_cast<std::size_t>(j)] + axis)];
  }

  std::vector<Joint> joints_;
  std::vector<int> axis_begin_{0};  // of joint j in turns_
  std::vector<double> turns_;       // last value of every axis
  std::vector<Row> rows_;
  std::vector<Part> parts_;
  std::vector<CoordinateGradient> start_;  // of each row, where directions are those of the start
  std::vector<int> block_begin_;           // of joint j
  double h_ = 0.0;
  ForceDirections directions_ = ForceDirections::kEndOfStep;
};

}  // namespace nsn
