#include "nsn/models/collision/mesh_of_shape.h"

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {
namespace {

bool has_mesh(const Shape& shape) {
  const ShapeType type = shape.type();
  if (type == ConvexHull::kType) return dynamic_cast<const ConvexHull&>(shape).radius() == 0.0;
  return type == Box::kType || type == Sphere::kType || type == Capsule::kType ||
         type == Cylinder::kType;
}

TriangleMesh triangulated(const SurfaceMesh& surface) {
  const double grid = 1e-9 * norm(box_of(surface.points).upper - box_of(surface.points).lower);
  std::map<std::array<long long, 3>, int> known;
  std::vector<Vec3> points;
  std::vector<int> vertex;
  for (const Vec3& p : surface.points) {
    const std::array<long long, 3> cell{std::llround(p[0] / grid), std::llround(p[1] / grid),
                                        std::llround(p[2] / grid)};
    const auto [place, is_new] = known.emplace(cell, static_cast<int>(points.size()));
    if (is_new) points.push_back(p);
    vertex.push_back(place->second);
  }
  std::vector<std::array<int, 3>> triangles;
  for (const std::vector<int>& polygon : surface.polygons) {
    const auto corner = [&](std::size_t k) { return vertex[static_cast<std::size_t>(polygon[k])]; };
    for (std::size_t k = 2; k < polygon.size(); ++k) {
      const std::array<int, 3> t{corner(0), corner(k - 1), corner(k)};
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) triangles.push_back(t);
    }
  }
  return {std::move(points), triangles};
}

}  // namespace

std::shared_ptr<const Shape> mesh_of_shape(const std::shared_ptr<const Shape>& shape) {
  if (shape->type() == TriangleMesh::kType) return shape;
  if (!has_mesh(*shape)) return nullptr;
  return std::make_shared<TriangleMesh>(triangulated(shape->surface()));
}

}  // namespace nsn
