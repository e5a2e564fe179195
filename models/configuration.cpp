#include "models/configuration.h"

namespace nsn {

void Configuration::start(const std::vector<Body>& bodies, const std::vector<Particle>& particles,
                          double h) {
  h_ = h;
  points_.resize(particles.size());
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const Particle& particle = particles[p];
    points_[p].dynamic = particle.dynamic();
    const bool kinematic = particle.kind == BodyKind::kKinematic;
    move(particle, static_cast<int>(p), kinematic ? particle.velocity : Vec3{});
  }
  states_.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = bodies[b];
    states_[b].dynamic = body.dynamic();
    const bool moves = body.kind == BodyKind::kKinematic;
    move(body, static_cast<int>(b), moves ? body.velocity : Vec3{},
         moves ? body.angular_velocity : Vec3{});
  }
}

void Configuration::move(const Body& start, int b, const Vec3& v, const Vec3& w) {
  BodyState& state = states_[static_cast<std::size_t>(b)];
  state.x = start.position + h_ * v;
  state.q = rotation_exp(h_ * w) * start.orientation;
  state.R = rotation_matrix(state.q);
  state.v = v;
  state.w = w;
}

void Configuration::move(const Particle& start, int p, const Vec3& v) {
  PointState& point = points_[static_cast<std::size_t>(p)];
  point.x = start.position + h_ * v;
  point.v = v;
}

}  // namespace nsn
