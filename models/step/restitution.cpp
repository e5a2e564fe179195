#include "nsn/models/step/restitution.h"

namespace nsn {
namespace {

/// Point of a contact on a body and its velocity, at the start of the step.
struct PointMotion {
  Vec3 x;
  Vec3 v;
};

PointMotion motion(const ConstBodyRef& body, const Vec3& local, const Vec3& outward) {
  const Vec3 arm = rotation_matrix(body.orientation) * local + outward;
  return {body.position + arm, body.velocity + cross(body.angular_velocity, arm)};
}

}  // namespace

void apply_restitution(const World& world, double h, ContactRowSet& contacts) {
  for (Contact& c : contacts.contacts()) {
    if (!(c.restitution > 0.0)) continue;
    const PointMotion a = motion(world.body(c.body_a), c.local_a, -c.radius_a * c.normal);
    const PointMotion b = motion(world.body(c.body_b), c.local_b, c.radius_b * c.normal);
    const double closing = dot(c.normal, a.v - b.v);
    const double gap = dot(c.normal, a.x - b.x) - c.thickness;
    c.rebounds = closing < -world.restitution_threshold && gap + h * closing <= 0.0;
    c.rebound = c.rebounds ? c.restitution * closing : 0.0;
  }
}

}  // namespace nsn
