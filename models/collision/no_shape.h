/// The place of a shape that was removed: a point that meets nothing.
#pragma once

#include "nsn/models/collision/shape.h"

namespace nsn {

class NoShape final : public Shape {
 public:
  static constexpr ShapeType kType = "none";

  ShapeType type() const override { return kType; }
  Aabb bounds(const Pose& pose) const override { return {pose.x, pose.x}; }
  SurfaceMesh surface() const override { return {}; }
};

}  // namespace nsn
