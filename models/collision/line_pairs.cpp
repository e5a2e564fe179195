#include "nsn/models/collision/line_pairs.h"

#include <cmath>

#include "nsn/models/collision/convex_manifold.h"
#include "nsn/models/collision/convex_pairs.h"
#include "nsn/models/collision/convex_shape.h"
#include "nsn/models/collision/feature_distance.h"

namespace nsn {
namespace {

/// From the middle of the segment to its second end.
Vec3 half_segment(const Shape& shape, const Pose& pose) {
  const double half = 0.5 * static_cast<const ConvexShape&>(shape).core().size;
  return half * Vec3{pose.R(0, 2), pose.R(1, 2), pose.R(2, 2)};
}

double radius(const Shape& shape) {
  return static_cast<const ConvexShape&>(shape).radius();
}

/// Name of the end or, between the ends, of the segment that parameter t lies on.
std::uint64_t feature(const Shape& shape, double t) {
  const int last = static_cast<const ConvexShape&>(shape).core().num_vertices() - 1;
  return edge_number(t < 1.0 ? 0 : last, t > 0.0 ? last : 0);
}

/// Further apart than `reach` along the line between their middles: a cheap bound, often enough.
bool beyond(const Vec3& between, const Vec3& d, const Vec3& e, double reach) {
  return dot(between, between) - std::abs(dot(between, d)) - std::abs(dot(between, e)) >
         reach * norm(between);
}

/// Both may touch along a stretch, or the way from one to the other says nothing of a direction.
bool special(const Vec3& d, const Vec3& e, const Vec3& n, double distance) {
  const auto along = [&](const Vec3& half) {
    return std::abs(dot(half, n)) < kSideBySide * norm(half);
  };
  if (along(d) && along(e) && norm(cross(d, e)) <= kSideBySide * norm(d) * norm(e)) return true;
  return !(distance > 1e-9 * (norm(d) + norm(e)));
}

}  // namespace

void collide_lines(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                   double margin, Manifold& out) {
  const Vec3 origin = 0.5 * (pose_a.x + pose_b.x);
  const Vec3 x_a = pose_a.x - origin;
  const Vec3 x_b = pose_b.x - origin;
  const Vec3 d = half_segment(a, pose_a);
  const Vec3 e = half_segment(b, pose_b);
  const double radius_a = radius(a);
  const double radius_b = radius(b);
  if (beyond(x_a - x_b, d, e, margin + radius_a + radius_b)) return;
  const BetweenSegments near = closest_between_segments(x_a - d, x_a + d, x_b - e, x_b + e);
  const double distance = std::sqrt(near.distance_squared);
  if (distance - radius_a - radius_b > margin) return;
  const Vec3 n = (1.0 / distance) * (near.on_p - near.on_q);
  if (special(d, e, n, distance)) return collide_convex(a, pose_a, b, pose_b, margin, out);
  out.push_back({near.on_p - radius_a * n + origin, near.on_q + radius_b * n + origin, n,
                 feature_id(FeatureKind::kNearest, feature(a, near.s), feature(b, near.t)),
                 radius_a, radius_b});
}

}  // namespace nsn
