#include "models/collision/plane.h"

namespace nsn {

bool Plane::misses(const Pose& pose, const Aabb& box) const {
  const Vec3 n = column(pose.R, 2);
  const double lowest = -greatest_along(box, -n) - dot(n, pose.x);
  return lowest > 1e-12 * (max_abs(box.lower) + max_abs(box.upper) + max_abs(pose.x));  // rounding
}

SurfaceMesh Plane::surface() const {
  const double s = 0.5 * extent_;
  return {{{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}}, {{0, 1, 2, 3}}};
}

}  // namespace nsn
