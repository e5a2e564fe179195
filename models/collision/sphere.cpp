#include "nsn/models/collision/sphere.h"

#include <cmath>
#include <numbers>

#include "nsn/core/base/error.h"

namespace nsn {

Sphere::Sphere(double radius) : ConvexShape(point_polytope(), radius) {
  NSN_THROW_UNLESS(radius > 0.0 && std::isfinite(radius), "sphere: radius {} is not positive",
                   radius);
}

SurfaceMesh Sphere::surface() const {
  constexpr int kRings = 6;
  constexpr int kSides = 12;
  SurfaceMesh mesh;
  for (int i = 0; i <= kRings; ++i) {
    const double polar = std::numbers::pi * i / kRings;
    for (int j = 0; j < kSides; ++j) {
      const double around = 2.0 * std::numbers::pi * j / kSides;
      mesh.points.push_back(radius() * Vec3{std::sin(polar) * std::cos(around),
                                            std::sin(polar) * std::sin(around), std::cos(polar)});
    }
  }
  for (int i = 0; i < kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const int next = (j + 1) % kSides;
      mesh.polygons.push_back(
          {i * kSides + j, (i + 1) * kSides + j, (i + 1) * kSides + next, i * kSides + next});
    }
  }
  return mesh;
}

Solid Sphere::solid() const {
  return sphere_solid(radius());
}

}  // namespace nsn
