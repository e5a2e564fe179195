#include "nsn/models/collision/box.h"

#include "nsn/core/base/error.h"

namespace nsn {

namespace {

Vec3 corner_of(const Vec3& half, int k) {
  return {(k & 1) != 0 ? half[0] : -half[0], (k & 2) != 0 ? half[1] : -half[1],
          (k & 4) != 0 ? half[2] : -half[2]};
}

SurfaceMesh box_surface(const Vec3& half) {
  SurfaceMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.points.push_back(corner_of(half, k));
  mesh.polygons = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return mesh;
}

Polytope checked_core(const Vec3& size) {
  NSN_THROW_UNLESS(all_finite(size) && size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0,
                   "box: size ({}, {}, {}) is not positive", size[0], size[1], size[2]);
  Polytope core = polytope_from_faces(box_surface(0.5 * size), "box");
  for (int f = 0; f < 6; ++f) {  // free of rounding
    Polytope::Face& face = core.faces[static_cast<std::size_t>(f)];
    face.normal = {};
    face.normal[f / 2] = f % 2 == 0 ? -1.0 : 1.0;
    face.offset = 0.5 * size[f / 2];
  }
  return core;
}

}  // namespace

Box::Box(const Vec3& size) : ConvexShape(checked_core(size), 0.0), half_(0.5 * size) {}

Vec3 Box::corner(int k) const {
  return corner_of(half_, k);
}

SurfaceMesh Box::surface() const {
  return box_surface(half_);
}

Solid Box::solid() const {
  return box_solid(2.0 * half_);
}

}  // namespace nsn
