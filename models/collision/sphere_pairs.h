/// Spheres against spheres and boxes: one contact point each.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

/// Concentric spheres are pushed apart along z.
void collide_sphere_sphere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                           double margin, Manifold& out);
/// A centre inside the box is pushed out through the nearest face.
void collide_sphere_box(const Shape& sphere, const Pose& pose_a, const Shape& box,
                        const Pose& pose_b, double margin, Manifold& out);

}  // namespace nsn
