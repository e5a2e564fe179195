/// The fifteen axes of two boxes (separating_axis.h) without looking at a vertex.
#pragma once

#include "nsn/models/collision/box.h"
#include "nsn/models/collision/separating_axis.h"

namespace nsn {

/// Stops at the first axis whose gap is larger than the cutoff: that one alone is returned.
Axes box_axes(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double cutoff);

}  // namespace nsn
