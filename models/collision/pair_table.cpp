#include "models/collision/pair_table.h"

#include "models/collision/box.h"
#include "models/collision/box_box.h"
#include "models/collision/plane.h"
#include "models/collision/plane_pairs.h"
#include "models/collision/sphere.h"
#include "models/collision/sphere_pairs.h"

namespace nsn {

PairTable::Entry PairTable::find(ShapeType a, ShapeType b) const {
  if (const auto found = functions_.find({a, b}); found != functions_.end()) {
    return {found->second, false};
  }
  if (const auto found = functions_.find({b, a}); found != functions_.end()) {
    return {found->second, true};
  }
  return {};
}

PairTable standard_pairs() {
  PairTable table;
  table.add(Sphere::kType, Sphere::kType, collide_sphere_sphere);
  table.add(Sphere::kType, Box::kType, collide_sphere_box);
  table.add(Sphere::kType, Plane::kType, collide_sphere_plane);
  table.add(Box::kType, Plane::kType, collide_box_plane);
  table.add(Box::kType, Box::kType, collide_box_box);
  return table;
}

}  // namespace nsn
