#include "models/configuration.h"

namespace nsn {

void Configuration::start(const std::vector<Body>& bodies, double h) {
  h_ = h;
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
  state.R = rotation_matrix(rotation_exp(h_ * w) * start.orientation);
  state.v = v;
  state.w = w;
}

}  // namespace nsn
