#include "nsn/models/collision/plane.h"

#include <cmath>

namespace nsn {

bool Plane::misses(const Pose& pose, const Aabb& box) const {
  const Vec3 n = column(pose.R, 2);
  const double lowest = -greatest_along(box, -n) - dot(n, pose.x);
  double furthest = 0.0;  // any coordinate is less
  for (int k = 0; k < 3; ++k) {
    furthest += std::abs(box.lower[k]) + std::abs(box.upper[k]) + std::abs(pose.x[k]);
  }
  return lowest > 1e-12 * furthest;  // rounding
}

SurfaceMesh Plane::surface() const {
  const double s = 0.5 * extent_;
  return {{{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}}, {{0, 1, 2, 3}}};
}

}  // namespace nsn
