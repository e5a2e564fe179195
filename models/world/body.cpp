#include <algorithm>
#include <cmath>

#include "nsn/core/base/error.h"
#include "nsn/models/world/body_arrays.h"

namespace nsn {
namespace {

std::string label(const ConstBodyRef& body, int index) {
  return body.name.empty() ? fmt::format("body {}", index)
                           : fmt::format("body {} ({})", index, body.name);
}

bool is_symmetric(const Mat3& A) {
  const double tolerance = 1e-9 * (std::abs(A(0, 0)) + std::abs(A(1, 1)) + std::abs(A(2, 2)));
  return std::abs(A(0, 1) - A(1, 0)) <= tolerance && std::abs(A(0, 2) - A(2, 0)) <= tolerance &&
         std::abs(A(1, 2) - A(2, 1)) <= tolerance;
}

}  // namespace

void validate(const ConstBodyRef& body, int index) {
  const auto name = [&] { return label(body, index); };
  NSN_THROW_UNLESS(
      all_finite(body.position) && all_finite(body.velocity) && all_finite(body.angular_velocity),
      "{}: position or velocity is not finite", name());
  NSN_THROW_UNLESS(all_finite(body.force) && all_finite(body.torque),
                   "{}: external force or torque is not finite", name());
  const Quaternion& q = body.orientation;
  const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  NSN_THROW_UNLESS(std::abs(norm - 1.0) < 1e-6, "{}: quaternion has length {}, not 1", name(),
                   norm);
  if (!body.dynamic()) return;
  NSN_THROW_UNLESS(body.mass > 0.0 && std::isfinite(body.mass), "{}: mass {} is not positive",
                   name(), body.mass);
  NSN_THROW_UNLESS(
      all_finite(body.inertia) && is_symmetric(body.inertia) && positive_definite(body.inertia),
      "{}: inertia is not symmetric positive definite", name());
}

void validate_told(const Body& body, int index) {
  NSN_THROW_UNLESS(body.density > 0.0 && std::isfinite(body.density),
                   "{}: density {} is not positive", label(body, index), body.density);
  Body whole = body;
  if (!body.tells_mass()) whole.mass = 1.0;
  if (!body.tells_inertia()) whole.inertia = identity<3>();
  validate(whole, index);
}

bool Body::tells_inertia() const {
  return std::any_of(std::begin(inertia.a), std::end(inertia.a), [](double x) { return x != 0.0; });
}

Mat3 world_inertia(const ConstBodyRef& body) {
  const Mat3 R = rotation_matrix(body.orientation);
  return R * body.inertia * transpose(R);
}

double kinetic_energy(const ConstBodyRef& body) {
  const Vec3 w = body.angular_velocity;
  return 0.5 * body.mass * dot(body.velocity, body.velocity) +
         0.5 * dot(w, world_inertia(body) * w);
}

void append(Body body, BodyArrays& to) {
  to.name.push_back(std::move(body.name));
  to.kind.push_back(body.kind);
  to.mass.push_back(body.mass);
  to.inertia.push_back(body.inertia);
  to.position.push_back(body.position);
  to.orientation.push_back(body.orientation);
  to.velocity.push_back(body.velocity);
  to.angular_velocity.push_back(body.angular_velocity);
  to.force.push_back(body.force);
  to.torque.push_back(body.torque);
}

void assign(Body body, const BodyRef& to) {
  to.name = std::move(body.name);
  to.kind = body.kind;
  to.mass = body.mass;
  to.inertia = body.inertia;
  to.position = body.position;
  to.orientation = body.orientation;
  to.velocity = body.velocity;
  to.angular_velocity = body.angular_velocity;
  to.force = body.force;
  to.torque = body.torque;
}

Vec3 gyroscopic_update(const Mat3& inertia_world, const Vec3& omega, double h) {
  Vec3 w = omega;
  for (int k = 0; k < 2; ++k) {
    const Vec3 L = inertia_world * w;
    const Vec3 f = inertia_world * (w - omega) + h * cross(w, L);
    const Mat3 df = inertia_world + h * (skew(w) * inertia_world + (-1.0) * skew(L));
    w = w - inverse(df) * f;
  }
  return w;
}

}  // namespace nsn
