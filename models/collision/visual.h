/// A surface that is drawn and never collides: bodies whose contacts the user gives.
#pragma once

#include <utility>

#include "nsn/models/collision/shape.h"

namespace nsn {

class Visual final : public Shape {
 public:
  static constexpr ShapeType kType = "visual";
  explicit Visual(SurfaceMesh mesh) : mesh_(std::move(mesh)) {}

  ShapeType type() const override { return kType; }
  Aabb bounds(const Pose&) const override { return {}; }
  SurfaceMesh surface() const override { return mesh_; }

 private:
  SurfaceMesh mesh_;
};

}  // namespace nsn
