/// A convex polytope, rounded by a radius: ball, capsule, box, convex hull.
///
/// Its distance to another one is that of the cores less the two radii, also in penetration as long
/// as the cores are apart or the depth of the cores is known (gjk.h, separating_axis.h).
#pragma once

#include "nsn/models/collision/point_tree.h"
#include "nsn/models/collision/polytope.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

class ConvexShape : public Shape {
 public:
  ~ConvexShape() override = default;
  const Polytope& core() const { return core_; }
  double radius() const { return radius_; }
  /// Around the core, shape axes.
  const Aabb& core_box() const { return core_box_; }
  /// Tight.
  Aabb bounds(const Pose& pose) const override;
  Aabb loose_bounds(const Pose& pose) const override;

 protected:
  ConvexShape(Polytope core, double radius);
  ConvexShape(const ConvexShape&) = default;
  ConvexShape& operator=(const ConvexShape&) = default;

 private:
  Polytope core_;
  double radius_;
  Aabb core_box_;
  PointTree points_;  // of the core
};

}  // namespace nsn
