/// Ball of a given radius about the shape's origin.
#pragma once

#include "models/collision/shape.h"

namespace nsn {

class Sphere final : public Shape {
 public:
  static constexpr ShapeType kType = "sphere";
  /// Throws std::invalid_argument unless radius > 0 (m).
  explicit Sphere(double radius);

  double radius() const { return radius_; }
  ShapeType type() const override { return kType; }
  Aabb bounds(const Pose& pose) const override;
  SurfaceMesh surface() const override;

 private:
  double radius_;
};

}  // namespace nsn
