/// Convex hulls: of points, by qhull, or given by their faces.
///
///   auto hull = std::make_shared<nsn::ConvexHull>(nsn::ConvexHull::of_points(points));
///
/// Faces that lie in one plane to rounding are one polygon.
#pragma once

#include <vector>

#include "nsn/models/collision/convex_shape.h"

namespace nsn {

class ConvexHull final : public ConvexShape {
 public:
  static constexpr ShapeType kType = "hull";

  /// Throws std::invalid_argument for fewer than four points, points that are not finite, that lie
  /// in one plane, on one line or in one place, and where nsn was built without qhull.
  static ConvexHull of_points(const std::vector<Vec3>& points);
  /// Polygons counter-clockwise seen from outside. Throws std::invalid_argument unless they enclose
  /// a convex body (polytope.h). `radius`: rounds it, m, >= 0.
  static ConvexHull of_faces(const SurfaceMesh& mesh, double radius = 0.0);
  /// False where nsn was built without qhull: of_points throws.
  static bool has_qhull();

  ShapeType type() const override { return kType; }
  /// The core's; a radius is not drawn.
  SurfaceMesh surface() const override;
  /// Throws std::invalid_argument if the hull is rounded: tell its mass.
  Solid solid() const override;

 private:
  using ConvexShape::ConvexShape;
};

}  // namespace nsn
