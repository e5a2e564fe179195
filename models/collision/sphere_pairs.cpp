#include "nsn/models/collision/sphere_pairs.h"

#include <algorithm>
#include <cmath>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/sphere.h"

namespace nsn {

void collide_sphere_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                           double margin, Manifold& out) {
  const double radius_a = static_cast<const Sphere&>(a).radius();
  const double radius_b = static_cast<const Sphere&>(b).radius();
  const Vec3 between = pose_a.x - pose_b.x;
  const double distance = norm(between);
  if (distance - radius_a - radius_b > margin) return;
  const Vec3 normal = distance > 0.0 ? (1.0 / distance) * between : Vec3{0, 0, 1};
  out.push_back(
      {pose_a.x - radius_a * normal, pose_b.x + radius_b * normal, normal, 0, radius_a, radius_b});
}

namespace {

/// Outward normal of the face nearest to a point inside the box, and the point on it.
void nearest_face(const Vec3& half, const Vec3& inside, Vec3& normal, Vec3& nearest) {
  int axis = 0;
  double depth = -1.0;
  for (int k = 0; k < 3; ++k) {
    const double d = half[k] - std::abs(inside[k]);
    if (depth < 0.0 || d < depth) {
      depth = d;
      axis = k;
    }
  }
  normal = {};
  normal[axis] = inside[axis] >= 0.0 ? 1.0 : -1.0;
  nearest = inside;
  nearest[axis] = normal[axis] * half[axis];
}

}  // namespace

void collide_sphere_box(const Shape& sphere, const Pose& pose_a, const Shape& box,
                        const Pose& pose_b, double margin, Manifold& out) {
  const double radius = static_cast<const Sphere&>(sphere).radius();
  const Vec3& half = static_cast<const Box&>(box).half();
  const Vec3 centre = pose_b.inverse_apply(pose_a.x);
  Vec3 nearest{std::clamp(centre[0], -half[0], half[0]), std::clamp(centre[1], -half[1], half[1]),
               std::clamp(centre[2], -half[2], half[2])};
  Vec3 normal = centre - nearest;
  const double distance = norm(normal);
  if (distance - radius > margin) return;
  if (distance > 0.0) {
    normal = (1.0 / distance) * normal;
  } else {
    nearest_face(half, centre, normal, nearest);
  }
  const Vec3 n = pose_b.R * normal;
  out.push_back({pose_a.x - radius * n, pose_b.apply(nearest), n, 0, radius, 0.0});
}

}  // namespace nsn
