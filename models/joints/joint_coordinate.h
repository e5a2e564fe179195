/// Frames and coordinates of joints (core/rows/joint_coordinate.h) as plain functions.
#pragma once

#include "nsn/core/rows/joint_coordinate.h"
#include "nsn/models/world/configuration.h"

namespace nsn {

FramePair place_frames(const BodyState& a, const JointFrame& frame_a, const BodyState& b,
                       const JointFrame& frame_b);

/// C alone. Periodic kinds: an angle within (-2 pi, 2 pi]; whole turns are the caller's to count.
double coordinate_value(const JointCoordinate& coordinate, const FramePair& pair);
CoordinateGradient coordinate_gradient(const JointCoordinate& coordinate, const FramePair& pair);

/// sum += factor times that of a coordinate.
void add_curvature(const JointCoordinate& coordinate, const FramePair& pair, double factor,
                   CoordinateCurvature& sum);

}  // namespace nsn
