#include "models/collision/convex_shape.h"

#include <algorithm>

namespace nsn {

Aabb ConvexShape::bounds(const Pose& pose) const {
  Aabb box;
  box.lower = box.upper = pose.R * core_.vertices[0];
  for (int i = 1; i < core_.num_vertices(); ++i) {
    const Vec3 p = pose.R * core_.vertex(i);
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = std::min(box.lower[k], p[k]);
      box.upper[k] = std::max(box.upper[k], p[k]);
    }
  }
  const Vec3 r{radius_, radius_, radius_};
  box.lower += pose.x - r;
  box.upper += pose.x + r;
  return box;
}

}  // namespace nsn
