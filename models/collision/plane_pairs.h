/// Shapes on half-spaces.
///
/// Two half-spaces have no contact points: unless they look exactly away from each other they
/// overlap without end.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

/// Ball, capsule, box, hull: every vertex of the core within the margin, named by its number.
void collide_convex_plane(const Shape& convex, const Pose& pose_a, const Shape& plane,
                          const Pose& pose_b, double margin, Manifold& out);

}  // namespace nsn
