#include "nsn/models/collision/capsule.h"

#include <cmath>
#include <numbers>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

Polytope checked_core(double radius, double length) {
  NSN_THROW_UNLESS(radius > 0.0 && std::isfinite(radius), "capsule: radius {} is not positive",
                   radius);
  NSN_THROW_UNLESS(length >= 0.0 && std::isfinite(length), "capsule: length {} is negative",
                   length);
  return segment_polytope(length);
}

}  // namespace

Capsule::Capsule(double radius, double length)
    : ConvexShape(checked_core(radius, length), radius) {}

SurfaceMesh Capsule::surface() const {
  constexpr int kRings = 10;  // half of them on each cap
  constexpr int kSides = 20;
  SurfaceMesh mesh;
  for (int i = 0; i <= kRings + 1; ++i) {
    const bool upper = i <= kRings / 2;
    const double polar = std::numbers::pi * (upper ? i : i - 1) / kRings;
    const double shift = (upper ? 0.5 : -0.5) * length();
    for (int j = 0; j < kSides; ++j) {
      const double around = 2.0 * std::numbers::pi * j / kSides;
      mesh.points.push_back(Vec3{0, 0, shift} + radius() * Vec3{std::sin(polar) * std::cos(around),
                                                                std::sin(polar) * std::sin(around),
                                                                std::cos(polar)});
    }
  }
  for (int i = 0; i <= kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const int next = (j + 1) % kSides;
      mesh.polygons.push_back(
          {i * kSides + j, (i + 1) * kSides + j, (i + 1) * kSides + next, i * kSides + next});
    }
  }
  return mesh;
}

Solid Capsule::solid() const {
  return capsule_solid(radius(), length());
}

}  // namespace nsn
