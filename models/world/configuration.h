/// Where everything is at the end of a step, for velocities u that are being solved for.
///
/// Nodes: body b owns node 2b (linear) and 2b + 1 (angular), whether it moves or not; particle p is
/// node -1 - p. Each island writes its own bodies and particles only, so that islands can be solved
/// at the same time.
#pragma once

#include <vector>

#include "nsn/core/rows/body_state.h"
#include "nsn/models/world/body_arrays.h"
#include "nsn/models/world/particle.h"

namespace nsn {

class Configuration {
 public:
  /// Takes the start of a step: what is dynamic where it is, what is kinematic where it will be.
  void start(const Bodies& bodies, const Particles& particles, double h);
  /// Body b at x + h v, exp(h w) q.
  void move(const ConstBodyRef& start, int b, const Vec3& v, const Vec3& w);
  /// Particle p at x + h v.
  void move(const ConstParticleRef& start, int p, const Vec3& v);

  double h() const { return h_; }
  const BodyState& body(int b) const { return states_[static_cast<std::size_t>(b)]; }
  const PointState& particle(int p) const { return points_[static_cast<std::size_t>(p)]; }

 private:
  void start_at(const ConstBodyRef& body, int b);
  void start_at(const ConstParticleRef& particle, int p);

  double h_ = 0.0;
  std::vector<BodyState> states_;
  std::vector<PointState> points_;
};

inline int linear_node(int body) {
  return 2 * body;
}
inline int angular_node(int body) {
  return 2 * body + 1;
}
/// Particles count downwards: their nodes do not depend on the number of bodies.
inline int particle_node(int particle) {
  return -1 - particle;
}
inline bool is_particle_node(int node) {
  return node < 0;
}
/// The particle of a particle's node.
inline int particle_of(int node) {
  return -1 - node;
}

}  // namespace nsn
