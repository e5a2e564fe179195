#include "models/collision/box.h"

#include <cmath>

#include "core/error.h"

namespace nsn {

Box::Box(const Vec3& size) : half_(0.5 * size) {
  NSN_THROW_UNLESS(all_finite(size) && size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0,
                   "box: size ({}, {}, {}) is not positive", size[0], size[1], size[2]);
}

Vec3 Box::corner(int k) const {
  return {(k & 1) != 0 ? half_[0] : -half_[0], (k & 2) != 0 ? half_[1] : -half_[1],
          (k & 4) != 0 ? half_[2] : -half_[2]};
}

Aabb Box::bounds(const Pose& pose) const {
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    reach[i] = std::abs(pose.R(i, 0)) * half_[0] + std::abs(pose.R(i, 1)) * half_[1] +
               std::abs(pose.R(i, 2)) * half_[2];
  }
  return {pose.x - reach, pose.x + reach};
}

SurfaceMesh Box::surface() const {
  SurfaceMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.points.push_back(corner(k));
  mesh.polygons = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return mesh;
}

}  // namespace nsn
