#include "nsn/models/collision/pair_table.h"

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/convex_pairs.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/cylinder_pairs.h"
#include "nsn/models/collision/line_pairs.h"
#include "nsn/models/collision/mesh_pairs.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/plane_pairs.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/sphere_pairs.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {

int PairTable::index(ShapeType type) const {
  for (std::size_t k = 0; k < types_.size(); ++k) {
    if (types_[k] == type) return static_cast<int>(k);
  }
  return -1;
}

int PairTable::index_or_new(ShapeType type) {
  const int known = index(type);
  if (known >= 0) return known;
  types_.push_back(type);
  for (auto& row : entries_) row.emplace_back();
  entries_.emplace_back(types_.size());
  return static_cast<int>(types_.size()) - 1;
}

void PairTable::add(ShapeType a, ShapeType b, CollideFunction collide) {
  const auto i = static_cast<std::size_t>(index_or_new(a));
  const auto j = static_cast<std::size_t>(index_or_new(b));
  entries_[j][i] = {collide, true};
  entries_[i][j] = {collide, false};
}

PairTable::Entry PairTable::find(int a, int b) const {
  if (a < 0 || b < 0) return {};
  return entries_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

PairTable standard_pairs() {
  PairTable table;
  const ShapeType convex[] = {Sphere::kType, Capsule::kType, Box::kType, ConvexHull::kType};
  for (const ShapeType a : convex) {
    for (const ShapeType b : convex) table.add(a, b, collide_convex);
    table.add(a, Plane::kType, collide_convex_plane);
    table.add(a, Cylinder::kType, collide_convex_cylinder);
    table.add(a, TriangleMesh::kType, collide_convex_mesh);
  }
  table.add(Sphere::kType, Sphere::kType, collide_sphere_sphere);
  table.add(Sphere::kType, Box::kType, collide_sphere_box);
  table.add(Sphere::kType, Capsule::kType, collide_lines);
  table.add(Capsule::kType, Capsule::kType, collide_lines);
  table.add(Box::kType, Box::kType, collide_box_box);
  table.add(Cylinder::kType, Plane::kType, collide_cylinder_plane);
  table.add(Cylinder::kType, Cylinder::kType, collide_cylinder_cylinder);
  table.add(Cylinder::kType, TriangleMesh::kType, collide_cylinder_mesh);
  table.add(TriangleMesh::kType, Plane::kType, collide_mesh_plane);
  table.add(TriangleMesh::kType, TriangleMesh::kType, collide_mesh_mesh);
  return table;
}

}  // namespace nsn
