/// Scripted joint targets: knots in time, smooth in between.
///
///   nsn::Trajectory path;
///   path.add(0.0, open).add(1.0, closed).add(3.0, closed);       // times s, coordinates
///   const nsn::TrajectoryPoint now = path.at(world.time);
///
/// Between two knots every coordinate moves with the least jerk from rest to rest,
///   q(s) = q_0 + (q_1 - q_0) (10 s^3 - 15 s^4 + 6 s^5),   s = (t - t_0) / (t_1 - t_0),
/// so that speed and acceleration vanish at the knots. Before the first and after the last knot it
/// rests there.
#pragma once

#include <vector>

namespace nsn {

struct TrajectoryPoint {
  std::vector<double> q;
  std::vector<double> v;
};

class Trajectory {
 public:
  /// Times ascend; all knots have as many coordinates as the first. Throws std::invalid_argument.
  Trajectory& add(double time, std::vector<double> q);

  bool empty() const { return knots_.empty(); }
  double end() const { return knots_.empty() ? 0.0 : knots_.back().time; }
  /// Throws std::invalid_argument where there are no knots.
  TrajectoryPoint at(double time) const;

 private:
  struct Knot {
    double time;
    std::vector<double> q;
  };
  std::vector<Knot> knots_;
};

/// s in [0, 1] -> 10 s^3 - 15 s^4 + 6 s^5, clamped outside.
double smooth_step(double s);

}  // namespace nsn
