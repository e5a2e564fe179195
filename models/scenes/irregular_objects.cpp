#include "nsn/models/scenes/irregular_objects.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "nsn/core/base/error.h"
#include "nsn/core/base/math3.h"
#include "nsn/models/scenes/parts.h"

namespace nsn {
namespace {

constexpr const char* kNames[kIrregularObjects] = {
    "bumps", "dumbbell", "star",  "twisted", "pear",  "gear",    "bean",
    "cross", "spikes",   "shell", "cone",    "waves", "boulder", "screw"};

double bump(const Vec3& n, const Vec3& at, double width) {
  const double d = 1.0 - dot(n, normalized(at));
  return std::exp(-d / width);
}

/// Radius over that of the ball, in direction n.
double radius_of(int kind, const Vec3& n) {
  const double x = n[0];
  const double y = n[1];
  const double z = n[2];
  const double turn = std::atan2(y, x);
  switch (kind) {
    case 0:
      return 0.9 + 0.12 * std::sin(7.0 * x + 1.0) * std::sin(6.0 * y) * std::sin(8.0 * z + 2.0);
    case 1:
      return 0.62 + 0.5 * y * y;
    case 2:
      return 0.8 + 0.22 * std::cos(5.0 * turn) * (1.0 - z * z);
    case 3:
      return 0.8 + 0.2 * std::cos(2.0 * turn + 3.0 * z);
    case 4:
      return 0.85 + 0.2 * y + 0.08 * std::cos(3.0 * turn);
    case 5:
      return 0.9 + 0.08 * std::tanh(6.0 * std::cos(9.0 * turn)) * (1.0 - z * z);
    case 6:
      return 0.9 - 0.25 * bump(n, {1.0, 0.0, 0.4}, 0.15);
    case 7:
      return 0.7 + 0.3 * std::max({std::pow(x, 6), std::pow(y, 6), std::pow(z, 6)});
    case 8:
      return 0.85 + 0.2 * (bump(n, {1, 1, 1}, 0.02) + bump(n, {-1, 1, 0.5}, 0.02) +
                           bump(n, {0, -1, 1}, 0.02) + bump(n, {0.4, -1, -1}, 0.02));
    case 9:
      return 0.9 - 0.18 * std::abs(std::sin(4.0 * z + turn));
    case 10:
      return 0.75 + 0.25 * z * z * (z > 0.0 ? 1.0 : 0.3) + 0.05 * std::cos(6.0 * turn);
    case 11:
      return 0.88 + 0.1 * std::sin(10.0 * z);
    case 12:
      return 0.85 + 0.1 * std::sin(3.1 * x + 2.0 * y) + 0.08 * std::cos(4.3 * z - 2.2 * x) +
             0.04 * std::sin(9.0 * y + 5.0 * z);
    default:
      return 0.85 + 0.1 * std::sin(8.0 * z + 2.0 * turn);
  }
}

/// A wall across the middle: from the vertices next to the plane z = 0 to the centre.
void add_wall(TriangleSurface& surface) {
  const auto centre = static_cast<Index>(surface.vertex.size());
  surface.vertex.push_back({});
  const std::size_t outside = surface.triangle.size();
  for (std::size_t t = 0; t < outside; ++t) {
    const auto corner = surface.triangle[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& a = surface.vertex[static_cast<std::size_t>(corner[k])];
      const Vec3& b = surface.vertex[static_cast<std::size_t>(corner[(k + 1) % 3])];
      if (a[2] > 0.0 && b[2] > 0.0) continue;
      const Vec3& c = surface.vertex[static_cast<std::size_t>(corner[(k + 2) % 3])];
      if (a[2] <= 0.0 && b[2] <= 0.0 && c[2] > 0.0) {
        surface.triangle.push_back({corner[k], corner[(k + 1) % 3], centre});
      }
    }
  }
}

/// Every twentieth triangle once more.
void add_doubles(TriangleSurface& surface, std::size_t count) {
  for (std::size_t t = 0; t < count; t += 20) surface.triangle.push_back(surface.triangle[t]);
}

}  // namespace

const char* irregular_object_name(int kind) {
  NSN_THROW_UNLESS(kind >= 0 && kind < kIrregularObjects, "no object {} (there are {})", kind,
                   kIrregularObjects);
  return kNames[kind];
}

TriangleSurface irregular_object(int kind, double radius) {
  irregular_object_name(kind);
  const SurfaceMesh ball = icosphere(3);
  TriangleSurface surface;
  for (const Vec3& p : ball.points) {
    const Vec3 n = normalized(p);
    surface.vertex.push_back((radius * radius_of(kind, n)) * n);
  }
  for (const auto& polygon : ball.polygons) {
    surface.triangle.push_back({polygon[0], polygon[1], polygon[2]});
  }
  const std::size_t outside = surface.triangle.size();
  add_wall(surface);
  add_doubles(surface, outside);
  return surface;
}

}  // namespace nsn
