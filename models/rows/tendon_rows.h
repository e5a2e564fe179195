/// Tendons: rows on a weighted sum of coordinates of joints (grippers of two fingers, legs whose joints are
/// coupled) and of distances of points (strings).
///
///   L = sum_i w_i C_i - o,     v = (a (L - c) / h + (1 - a) (dL/dt - speed)) + E r,   lo <= r <= hi
///
/// C_i coordinates of joints (models/joints/joint_coordinate.h), angles in (-pi, pi]; w_i their
/// weights. L and its rate are those of the end of the step. h step, k stiffness, d damping, F and f
/// largest efforts:
///
/// | row      | c           | a               | compliance E h^2 | bounds of r |
/// |----------|-------------|-----------------|------------------|-------------|
/// | held     | held        | 1               | 0                | -inf, inf   |
/// | limit    | lower, upper| 1               | 0                | 0, inf      |
/// | spring   | rest        | h k / (h k + d) | h / (h k + d)    | -inf, inf   |
/// | drive    | target      | h k / (h k + d) | h / (h k + d)    | -h F, h F   |
/// | friction |             | 0               | 0                | -h f, h f   |
///
/// A spring with slack is three rows: its damping, a push below rest, a pull above rest + slack. A
/// tendon that follows a leader x = sum_i u_i C_i - b has L - P(x) in place of L; what P adds to the
/// geometric stiffness by its curvature is left out (Newton needs more iterations there, the step is
/// the same).
///
/// Each is a block of its own, of which two rows are padding, and touches at most eight nodes: four
/// bodies, or eight whose coordinates are all angles. A longer sum is cut: a held row makes the place
/// of a light particle along x the sum of a part, and counts from there as one coordinate (Relay).
/// No device evaluates them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nsn/models/joints/joint.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {

struct Tendon {
  struct Side {
    Joint joint;
    int axis = 0;
    double weight = 1.0;  ///< w_i
  };
  /// A particle whose place along x is a length: what other rows have summed already.
  struct Relay {
    int particle = 0;
    double weight = 1.0;
  };
  std::string name;  ///< for messages
  std::vector<Side> sides;
  std::vector<Relay> relays;
  double offset = 0.0;                 ///< o, m or rad
  std::vector<Side> leader;            ///< weights u_i
  double leader_offset = 0.0;          ///< b
  std::array<double, 5> polynomial{};  ///< P(x) = p_0 + p_1 x + ... + p_4 x^4
  std::optional<double> held;          ///< L is kept at this
  JointLimit limit;
  JointSpring spring;
  double slack = 0.0;  ///< >= 0
  std::vector<JointDrive> drives;
  double friction = 0.0;  ///< f, N or N m, >= 0
};

class TendonRowSet final : public RowSet {
 public:
  /// Throws std::invalid_argument naming the tendon where it touches more than eight nodes.
  void add(const Tendon& tendon);
  /// Nodes that a row on these coordinates touches.
  static int count_nodes(const std::vector<Tendon::Side>& sides);

  std::unique_ptr<RowSet> clone() const override { return std::make_unique<TendonRowSet>(*this); }
  int size() const override { return static_cast<int>(rows_.size()); }
  NodeList nodes(int k) const override;
  RowLaw law(int k, double h) const override;
  Vec3 compliance(int k, double h) const override;
  std::uint64_t id(int k) const override;
  void evaluate(int k, const Configuration& at, RowBlock& out) const override;
  void add_stiffness(int k, const Configuration& at, const Vec3& r,
                     std::span<Mat3> K) const override;

 private:
  /// A coordinate, and which nodes of the block it moves; -1: it is an angle, which needs no place.
  struct Side {
    MimicSide coordinate;
    std::array<int, 4> place{};  // linear and angular of a, then of b
    bool leads = false;
  };
  struct Relay {
    int particle = 0;
    int place = 0;
    double weight = 1.0;
  };
  struct Path {
    std::vector<Side> sides;
    std::vector<Relay> relays;
    NodeList nodes;
    double offset = 0.0;
    double leader_offset = 0.0;
    std::array<double, 5> polynomial{};
  };
  /// L - P(x), its rate, and P'(x).
  struct Length {
    double value = 0.0;
    double rate = 0.0;
    double slope = 0.0;
  };
  struct Row {
    int path = 0;
    double sign = 1.0;
    double target = 0.0;  // c
    double speed = 0.0;
    double stiffness = 0.0;  // k, d: both 0 for a rigid row
    double damping = 0.0;
    bool rate = false;  // a = 0
    double lo = 0.0;    // efforts
    double hi = 0.0;
  };
  const Row& row(int k) const { return rows_[static_cast<std::size_t>(k)]; }
  const Path& path(int k) const { return paths_[static_cast<std::size_t>(row(k).path)]; }
  static int place_of(int node, const std::string& name, Path& path);
  static void add_side(const Tendon::Side& from, bool leads, const std::string& name, Path& path);
  void add_rows(const Tendon& tendon, int path);
  void add_spring(const Tendon& tendon, int path);
  Row& add_row(int path, double target, double lo, double hi);
  static Length length_of(const Path& path, const Configuration& at);
  static bool soft(const Row& row) { return row.stiffness > 0.0 || row.damping > 0.0; }

  std::vector<Path> paths_;
  std::vector<Row> rows_;
};

}  // namespace nsn
