/// Contact points of capsules and balls: the segments (or points) in them have a closed form.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

/// As collide_convex (convex_pairs.h), for a pair that is known to be capsules or balls.
void collide_lines(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                   double margin, Manifold& out);

}  // namespace nsn
