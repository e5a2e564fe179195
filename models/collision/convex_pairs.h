/// Contact points and distance of any two rounded polytopes: balls, capsules, boxes, hulls.
///
/// Cores apart: the distance by GJK. Cores that touch or overlap: the axis of least depth. A face
/// that looks along that direction is the reference of a clipped manifold; edges side by side give
/// two points, anything else one. A face within 11 degrees of the exact direction is preferred over
/// a pair of edges or vertices unless its gap is smaller by 1e-3 of the sizes: a face gives a
/// manifold that carries a body, and the choice must not flicker with rounding. closest_convex has
/// no such preference.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/separating_axis.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

void collide_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                    double margin, Manifold& out);

/// As collide_convex, for a pair that is known to be two boxes: fifteen axes, no search.
void collide_box_box(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                     double margin, Manifold& out);

/// Signed distance of two convex shapes and the two points it is taken between.
struct Closest {
  double distance = 0.0;  ///< m; < 0: least depth, exact
  Vec3 on_a;              ///< on the surfaces, world axes
  Vec3 on_b;
  Vec3 normal;  ///< unit, from b to a; on_a - on_b = distance normal
};
Closest closest_convex(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

}  // namespace nsn
