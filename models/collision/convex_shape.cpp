#include "nsn/models/collision/convex_shape.h"

#include <cmath>
#include <utility>

namespace nsn {

ConvexShape::ConvexShape(Polytope core, double radius)
    : core_(std::move(core)),
      radius_(radius),
      core_box_(box_of(core_.vertices)),
      points_(core_.vertices) {}

Aabb ConvexShape::bounds(const Pose& pose) const {
  const Vec3 r{radius_, radius_, radius_};
  Aabb box = points_.box(pose.R);
  box.lower += pose.x - r;
  box.upper += pose.x + r;
  return box;
}

Aabb ConvexShape::loose_bounds(const Pose& pose) const {
  double furthest = radius_;  // any coordinate is less
  for (int k = 0; k < 3; ++k) {
    furthest += std::abs(core_box_.lower[k]) + std::abs(core_box_.upper[k]) + std::abs(pose.x[k]);
  }
  const double rounding = 1e-12 * furthest;
  return widened(moved_box(core_box_, pose), radius_ + rounding);
}

}  // namespace nsn
