/// Which function finds the contact points of which two kinds of shape.
#pragma once

#include <map>
#include <utility>

#include "models/collision/manifold.h"
#include "models/collision/shape.h"

namespace nsn {

/// Appends the contact points with a gap of at most `margin` (m).
using CollideFunction = void (*)(const Shape& a, const Pose& pose_a, const Shape& b,
                                 const Pose& pose_b, double margin, Manifold& out);

/// Looks functions up by two ShapeTypes. (a, b) also serves (b, a): `swapped` is set then, and the
/// caller exchanges the roles.
class PairTable {
 public:
  struct Entry {
    CollideFunction collide = nullptr;  ///< null: this pair never touches
    bool swapped = false;
  };

  void add(ShapeType a, ShapeType b, CollideFunction collide) { functions_[{a, b}] = collide; }
  Entry find(ShapeType a, ShapeType b) const;

 private:
  std::map<std::pair<ShapeType, ShapeType>, CollideFunction> functions_;
};

/// Spheres, boxes and planes.
PairTable standard_pairs();

}  // namespace nsn
