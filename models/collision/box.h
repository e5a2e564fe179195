/// Cuboid centred at the shape's origin with edges along its axes.
#pragma once

#include "nsn/models/collision/convex_shape.h"

namespace nsn {

class Box final : public ConvexShape {
 public:
  static constexpr ShapeType kType = "box";
  /// Edge lengths, m. Throws std::invalid_argument unless all are > 0.
  explicit Box(const Vec3& size);

  const Vec3& half() const { return half_; }
  /// Corner k: bit 0, 1, 2 of k set means the positive side along x, y, z. Face 2 k + side of the
  /// core looks along axis k, to the positive side if side = 1.
  Vec3 corner(int k) const;
  ShapeType type() const override { return kType; }
  SurfaceMesh surface() const override;
  Solid solid() const override;

 private:
  Vec3 half_;
};

}  // namespace nsn
