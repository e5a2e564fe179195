/// Two boxes: the axis of least penetration among 15, then a clipped face or a pair of edges.
///
/// A face contact keeps the corners of the incident face that lie over the reference face, and the
/// points where the outlines cross; an edge contact is one point. Corners within 1e-6 of the box's
/// size outside the outline count as inside, so that exactly aligned boxes keep the same features
/// from step to step.
#pragma once

#include "models/collision/manifold.h"
#include "models/collision/shape.h"

namespace nsn {

void collide_box_box(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                     double margin, Manifold& out);

}  // namespace nsn
