/// Where everything is at the end of a step, for velocities u that are being solved for.
///
/// Nodes: body b owns node 2b (linear) and 2b + 1 (angular), whether it moves or not. Each island
/// writes its own bodies only, so that islands can be solved at the same time.
#pragma once

#include <vector>

#include "core/math3.h"
#include "models/body.h"

namespace nsn {

/// Pose and velocity of one body at the end of the step.
struct BodyState {
  Vec3 x;
  Mat3 R;
  Vec3 v;
  Vec3 w;
  bool dynamic = true;
};

class Configuration {
 public:
  /// Takes the start of a step: dynamic bodies where they are, kinematic ones where they will be.
  void start(const std::vector<Body>& bodies, double h);
  /// Body b at x + h v, exp(h w) q.
  void move(const Body& start, int b, const Vec3& v, const Vec3& w);

  double h() const { return h_; }
  const BodyState& body(int b) const { return states_[static_cast<std::size_t>(b)]; }

 private:
  double h_ = 0.0;
  std::vector<BodyState> states_;
};

inline int linear_node(int body) {
  return 2 * body;
}
inline int angular_node(int body) {
  return 2 * body + 1;
}

}  // namespace nsn
