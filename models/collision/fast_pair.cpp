#include "nsn/models/collision/fast_pair.h"

#include <algorithm>

namespace nsn {

bool meet_as_ball(const MovingShape& a, const MovingShape& b, double h, Manifold& points) {
  const auto deeper = [](const ContactPoint& p, const ContactPoint& q) { return gap(p) < gap(q); };
  const auto nearest = std::min_element(points.begin(), points.end(), deeper);
  if (nearest == points.end()) return false;
  const Vec3 velocity = a.velocity - b.velocity;
  const double closing = -dot(nearest->normal, velocity);
  const bool a_is_ball = a.size <= b.size;
  if (!(h * closing > std::min(a.size, b.size))) return false;
  ContactPoint point = *nearest;
  const Vec3 n = point.normal;
  const Vec3 way =
      (std::max(0.0, gap(point)) / closing) * velocity;  // of a against b until they touch
  point.feature = feature_id(FeatureKind::kNearest, 0, 0);
  Vec3& ball = a_is_ball ? point.on_a : point.on_b;
  Vec3& other = a_is_ball ? point.on_b : point.on_a;
  const Vec3& middle = a_is_ball ? a.middle : b.middle;
  const double radius = a_is_ball ? dot(n, middle - ball) : dot(n, ball - middle);
  (a_is_ball ? point.radius_a : point.radius_b) = radius;
  ball = middle - (a_is_ball ? radius : -radius) * n;
  const Vec3 there = ball + (a_is_ball ? way : -way) - other;
  other += there - dot(n, there) * n;
  points.assign(1, point);
  return true;
}

}  // namespace nsn
