/// Ball of a given radius about the shape's origin.
#pragma once

#include "nsn/models/collision/convex_shape.h"

namespace nsn {

class Sphere final : public ConvexShape {
 public:
  static constexpr ShapeType kType = "sphere";
  /// Throws std::invalid_argument unless radius > 0 (m).
  explicit Sphere(double radius);

  ShapeType type() const override { return kType; }
  SurfaceMesh surface() const override;
  Solid solid() const override;
};

}  // namespace nsn
