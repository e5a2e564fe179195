/// Right circular cylinder along the shape's z axis, centred at its origin.
#pragma once

#include "nsn/models/collision/gjk.h"
#include "nsn/models/collision/polytope.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

class Cylinder final : public Shape {
 public:
  static constexpr ShapeType kType = "cylinder";
  /// Throws std::invalid_argument unless both are > 0 (m).
  Cylinder(double radius, double height);

  double radius() const { return radius_; }
  double height() const { return height_; }
  ShapeType type() const override { return kType; }
  Aabb bounds(const Pose& pose) const override;
  SurfaceMesh surface() const override;
  Solid solid() const override;

  /// Prism with kRim corners on each rim: what the flat ends are to a manifold.
  static constexpr int kRim = 12;
  const Polytope& prism() const { return prism_; }
  /// The axis from end to end: with the radius, what the side is to a manifold.
  const Polytope& spine() const { return spine_; }

 private:
  double radius_;
  double height_;
  Polytope prism_;
  Polytope spine_;
};

/// A cylinder with its place, relative to an origin that both partners share.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): final, never deleted as its base
struct PlacedCylinder final : public SupportMap {
  Vec3 centre;
  Vec3 axis;  ///< unit
  double radius;
  double half;  ///< height

  PlacedCylinder(const Cylinder& cylinder, const Pose& pose, const Vec3& origin)
      : centre(pose.x - origin),
        axis(column(pose.R, 2)),
        radius(cylinder.radius()),
        half(0.5 * cylinder.height()) {}

  double size() const { return 2.0 * (radius + half); }
  /// d without its part along the axis.
  Vec3 across(const Vec3& d) const { return d - dot(d, axis) * axis; }
  /// max over the cylinder of d . (x - centre) for a unit d.
  double reach(const Vec3& d) const {
    return radius * norm(across(d)) + half * std::abs(dot(d, axis));
  }
  Point support(const Vec3& d) const override;
  /// Nearest point of the cylinder to a point outside.
  Vec3 nearest(const Vec3& x) const;
};

}  // namespace nsn
