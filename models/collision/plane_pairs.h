/// Spheres and boxes on half-spaces.
#pragma once

#include "models/collision/manifold.h"
#include "models/collision/shape.h"

namespace nsn {

void collide_sphere_plane(const Shape& sphere, const Pose& pose_a, const Shape& plane,
                          const Pose& pose_b, double margin, Manifold& out);
/// Every corner within the margin; the feature is the corner's number.
void collide_box_plane(const Shape& box, const Pose& pose_a, const Shape& plane, const Pose& pose_b,
                       double margin, Manifold& out);

}  // namespace nsn
