/// Half-space below the plane through the shape's origin; its outward normal is the shape's z axis.
#pragma once

#include "nsn/models/collision/shape.h"

namespace nsn {

class Plane final : public Shape {
 public:
  static constexpr ShapeType kType = "plane";
  /// `extent`: side of the square drawn in pictures, m; the plane itself has no end.
  explicit Plane(double extent = 4.0) : extent_(extent) {}

  ShapeType type() const override { return kType; }
  Aabb bounds(const Pose&) const override { return {{}, {}, false}; }
  bool misses(const Pose& pose, const Aabb& box) const override;
  SurfaceMesh surface() const override;

 private:
  double extent_;
};

}  // namespace nsn
