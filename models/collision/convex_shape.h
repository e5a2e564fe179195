/// A convex polytope, rounded by a radius: ball, capsule, box, convex hull.
///
/// Its distance to another one is that of the cores less the two radii, also in penetration as long
/// as the cores are apart or the depth of the cores is known (gjk.h, separating_axis.h).
#pragma once

#include <utility>

#include "models/collision/polytope.h"
#include "models/collision/shape.h"

namespace nsn {

class ConvexShape : public Shape {
 public:
  ~ConvexShape() override = default;
  const Polytope& core() const { return core_; }
  double radius() const { return radius_; }
  /// Tight.
  Aabb bounds(const Pose& pose) const override;

 protected:
  ConvexShape(Polytope core, double radius) : core_(std::move(core)), radius_(radius) {}
  ConvexShape(const ConvexShape&) = default;
  ConvexShape& operator=(const ConvexShape&) = default;

 private:
  Polytope core_;
  double radius_;
};

}  // namespace nsn
