#include "nsn/models/robots/robot_shapes.h"

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "nsn/core/base/error.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {
namespace {

/// Points spread over the unit ball, for hulls of ellipsoids.
std::vector<Vec3> ball_points(int count) {
  std::vector<Vec3> points;
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
  for (int k = 0; k < count; ++k) {
    const double z = 1.0 - 2.0 * (k + 0.5) / count;
    const double r = std::sqrt(1.0 - z * z);
    points.push_back({r * std::cos(golden * k), r * std::sin(golden * k), z});
  }
  return points;
}

/// The points that lie furthest along `count` directions, each once.
std::vector<Vec3> extreme_points(const std::vector<Vec3>& points, int count) {
  std::vector<char> taken(points.size(), 0);
  std::vector<Vec3> extreme;
  for (const Vec3& d : ball_points(count)) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < points.size(); ++k) {
      if (dot(points[k], d) > dot(points[best], d)) best = k;
    }
    if (taken[best] == 0) extreme.push_back(points[best]);
    taken[best] = 1;
  }
  return extreme;
}

/// The exact hull, or that of extreme points where it is asked for or where the exact one has
/// faces without area (points of a file that lie on a line but for their rounding).
std::shared_ptr<const Shape> hull_shape(const RobotMesh& mesh, int hull_points,
                                        std::vector<std::string>& notes) {
  constexpr int kEnough = 400;
  const auto& points = mesh.surface.vertex;
  if (hull_points == 0) {
    try {
      return std::make_shared<ConvexHull>(ConvexHull::of_points(points));
    } catch (const std::invalid_argument& error) {
      notes.push_back(fmt::format("mesh '{}': hull of its extreme points along {} directions ({})",
                                  mesh.name, kEnough, error.what()));
    }
  }
  const int count = hull_points > 0 ? hull_points : kEnough;
  return std::make_shared<ConvexHull>(ConvexHull::of_points(extreme_points(points, count)));
}

std::shared_ptr<const Shape> mesh_shape(const RobotMesh& mesh, const MeshShapeOptions& options,
                                        std::vector<std::string>& notes) {
  if (options.hulls && !mesh.terrain) return hull_shape(mesh, options.hull_points, notes);
  std::vector<std::array<int, 3>> triangles;
  for (const auto& t : mesh.surface.triangle) triangles.push_back({t[0], t[1], t[2]});
  return std::make_shared<TriangleMesh>(mesh.surface.vertex, triangles,
                                        MeshOptions{.name = mesh.name});
}

/// Of all but meshes.
std::shared_ptr<const Shape> simple_shape(const RobotGeometry& g) {
  switch (g.kind) {
    case GeometryKind::kPlane:
      return std::make_shared<Plane>();
    case GeometryKind::kSphere:
      return std::make_shared<Sphere>(g.size[0]);
    case GeometryKind::kCapsule:
      return std::make_shared<Capsule>(g.size[0], 2.0 * g.size[1]);
    case GeometryKind::kCylinder:
      return std::make_shared<Cylinder>(g.size[0], 2.0 * g.size[1]);
    case GeometryKind::kBox:
      return std::make_shared<Box>(2.0 * g.size);
    case GeometryKind::kEllipsoid: {
      std::vector<Vec3> points = ball_points(200);
      for (Vec3& p : points) p = {g.size[0] * p[0], g.size[1] * p[1], g.size[2] * p[2]};
      return std::make_shared<ConvexHull>(ConvexHull::of_points(points));
    }
    case GeometryKind::kMesh:
      break;
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const Shape> RobotShapes::shape(const RobotGeometry& geometry,
                                                const MeshShapeOptions& options,
                                                std::vector<std::string>& notes) {
  try {
    if (geometry.kind != GeometryKind::kMesh) return simple_shape(geometry);
    auto& known = meshes_[{geometry.mesh, options.hulls, options.hull_points}];
    if (!known) known = mesh_shape(*geometry.mesh, options, notes);
    return known;
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", to_string(geometry.source), error.what()));
  }
}

}  // namespace nsn
