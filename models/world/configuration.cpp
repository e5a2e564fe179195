#include "nsn/models/world/configuration.h"

#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {
constexpr Index kGrain = 256;  // bodies or particles worth a dispatch
}

void Configuration::start(const Bodies& bodies, const Particles& particles, double h) {
  h_ = h;
  points_.resize(particles.size());
  states_.resize(bodies.size());
  const auto start_points = [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) start_at(particles[static_cast<std::size_t>(p)], p);
  };
  const auto start_bodies = [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) start_at(bodies[static_cast<std::size_t>(b)], b);
  };
  for_range(static_cast<Index>(particles.size()), start_points, kGrain);
  for_range(static_cast<Index>(bodies.size()), start_bodies, kGrain);
}

void Configuration::start_at(const ConstParticleRef& particle, int p) {
  points_[static_cast<std::size_t>(p)].dynamic = particle.dynamic();
  const bool moves = particle.kind == BodyKind::kKinematic;
  move(particle, p, moves ? particle.velocity : Vec3{});
}

void Configuration::start_at(const ConstBodyRef& body, int b) {
  BodyState& state = states_[static_cast<std::size_t>(b)];
  state.dynamic = body.dynamic();
  if (body.kind == BodyKind::kKinematic) return move(body, b, body.velocity, body.angular_velocity);
  state.x = body.position;
  state.q = body.orientation;
  state.R = rotation_matrix(state.q);
  state.v = state.w = {};
}

NSN_KERNEL void Configuration::move(const ConstBodyRef& start, int b, const Vec3& v,
                                    const Vec3& w) {
  move_body(start.position, start.orientation, h_, v, w, states_[static_cast<std::size_t>(b)]);
}

void Configuration::move(const ConstParticleRef& start, int p, const Vec3& v) {
  PointState& point = points_[static_cast<std::size_t>(p)];
  point.x = start.position + h_ * v;
  point.v = v;
}

}  // namespace nsn
