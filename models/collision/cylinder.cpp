#include "nsn/models/collision/cylinder.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

SurfaceMesh prism_surface(double radius, double height, int sides) {
  SurfaceMesh mesh;
  std::vector<int> lower;
  std::vector<int> upper;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    const Vec3 rim = radius * Vec3{std::cos(angle), std::sin(angle), 0};
    mesh.points.push_back(rim - Vec3{0, 0, 0.5 * height});
    mesh.points.push_back(rim + Vec3{0, 0, 0.5 * height});
    lower.insert(lower.begin(), 2 * k);
    upper.push_back(2 * k + 1);
    const int next = (k + 1) % sides;
    mesh.polygons.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
  }
  mesh.polygons.push_back(lower);
  mesh.polygons.push_back(upper);
  return mesh;
}

Polytope checked_prism(double radius, double height) {
  NSN_THROW_UNLESS(radius > 0.0 && std::isfinite(radius), "cylinder: radius {} is not positive",
                   radius);
  NSN_THROW_UNLESS(height > 0.0 && std::isfinite(height), "cylinder: height {} is not positive",
                   height);
  return polytope_from_faces(prism_surface(radius, height, Cylinder::kRim), "cylinder");
}

}  // namespace

Cylinder::Cylinder(double radius, double height)
    : radius_(radius),
      height_(height),
      prism_(checked_prism(radius, height)),
      spine_(segment_polytope(height)) {}

Aabb Cylinder::bounds(const Pose& pose) const {
  const Vec3 a = column(pose.R, 2);
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    reach[i] =
        0.5 * height_ * std::abs(a[i]) + radius_ * std::sqrt(std::max(0.0, 1.0 - a[i] * a[i]));
  }
  return {pose.x - reach, pose.x + reach};
}

SurfaceMesh Cylinder::surface() const {
  return prism_surface(radius_, height_, 32);
}

SupportMap::Point PlacedCylinder::support(const Vec3& d) const {
  const Vec3 out = across(d);  // twice: what rounding leaves along the axis would be blown up
  const double size = norm(out);
  Vec3 x = centre + (dot(d, axis) < 0.0 ? -half : half) * axis;
  if (size > 1e-14 * norm(d)) x += radius * normalized(across((1.0 / size) * out));
  return {x, -1};
}

Vec3 PlacedCylinder::nearest(const Vec3& x) const {
  const Vec3 from = x - centre;
  const double along = std::clamp(dot(from, axis), -half, half);
  Vec3 out = across(from);
  const double size = norm(out);
  if (size > radius) out *= radius / size;
  return centre + along * axis + out;
}

Solid Cylinder::solid() const {
  return cylinder_solid(radius_, height_);
}

}  // namespace nsn
