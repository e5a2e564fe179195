#include "nsn/models/robots/trajectory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"

namespace nsn {

double smooth_step(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

Trajectory& Trajectory::add(double time, std::vector<double> q) {
  NSN_THROW_UNLESS(std::isfinite(time), "trajectory: time {} is not finite", time);
  if (!knots_.empty()) {
    NSN_THROW_UNLESS(time > knots_.back().time, "trajectory: knot at {} s after one at {} s", time,
                     knots_.back().time);
    NSN_THROW_UNLESS(q.size() == knots_.front().q.size(),
                     "trajectory: {} coordinates, the first knot has {}", q.size(),
                     knots_.front().q.size());
  }
  for (const double value : q) {
    NSN_THROW_UNLESS(std::isfinite(value), "trajectory: a coordinate is not finite");
  }
  knots_.push_back({time, std::move(q)});
  return *this;
}

TrajectoryPoint Trajectory::at(double time) const {
  NSN_THROW_UNLESS(!knots_.empty(), "trajectory without knots");
  const auto next = std::find_if(knots_.begin(), knots_.end(),
                                 [&](const Knot& knot) { return knot.time > time; });
  if (next == knots_.begin() || next == knots_.end()) {
    const Knot& knot = next == knots_.begin() ? knots_.front() : knots_.back();
    return {knot.q, std::vector<double>(knot.q.size(), 0.0)};
  }
  const Knot& a = *(next - 1);
  const Knot& b = *next;
  const double length = b.time - a.time;
  const double s = (time - a.time) / length;
  const double rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / length;
  TrajectoryPoint point;
  for (std::size_t k = 0; k < a.q.size(); ++k) {
    point.q.push_back(a.q[k] + (b.q[k] - a.q[k]) * smooth_step(s));
    point.v.push_back((b.q[k] - a.q[k]) * rate);
  }
  return point;
}

}  // namespace nsn
