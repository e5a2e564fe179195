/// All points within a radius of a segment along the shape's z axis, centred at its origin.
#pragma once

#include "nsn/models/collision/convex_shape.h"

namespace nsn {

class Capsule final : public ConvexShape {
 public:
  static constexpr ShapeType kType = "capsule";
  /// `length` of the segment (the caps come on top), m. Throws std::invalid_argument unless
  /// radius > 0 and length >= 0.
  Capsule(double radius, double length);

  double length() const { return core().size; }
  ShapeType type() const override { return kType; }
  SurfaceMesh surface() const override;
  Solid solid() const override;
};

}  // namespace nsn
