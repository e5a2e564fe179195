#include "nsn/models/joints/joint_coordinate.h"

#include <cmath>

#include "nsn/core/base/lanes.h"
#include "nsn/core/rows/curvature_kernels.h"

namespace nsn {

using namespace joint_kernels;

NSN_KERNEL FramePair place_frames(const BodyState& a, const JointFrame& frame_a, const BodyState& b,
                                  const JointFrame& frame_b) {
  return joint_kernels::place(a, frame_a, b, frame_b);
}

double coordinate_value(const JointCoordinate& c, const FramePair& pair) {
  switch (c.kind) {
    case Kind::kPoint:
      return pair.between[c.i];
    case Kind::kAlong:
      return dot(column(pair.axes_b, c.i), pair.between);
    case Kind::kCosine:
      return dot(column(pair.axes_a, c.i), column(pair.axes_b, c.j));
    case Kind::kTurn:
      return 2.0 * near_turn(pair.turn).v[c.i];
    case Kind::kTwist:
      return twist_value(pair);
    case Kind::kDistance:
      return norm(pair.between);
    case Kind::kAzimuthA:
    case Kind::kAzimuthB:
      return azimuth(c, pair).value();
    case Kind::kElevation:
      return elevation_value(dot(column(pair.axes_a, c.i), column(pair.axes_b, c.j)));
    case Kind::kRotation:
      return rotation_vector(pair.turn).vector()[c.i];
    case Kind::kAngle:
      return rotation_vector(pair.turn).angle;
  }
  return 0.0;
}

NSN_KERNEL CoordinateGradient coordinate_gradient(const JointCoordinate& c, const FramePair& pair) {
  return joint_kernels::gradient(c, pair);
}

NSN_KERNEL void add_curvature(const JointCoordinate& c, const FramePair& pair, double factor,
                              CoordinateCurvature& sum) {
  joint_kernels::add_curvature(c, pair, factor, sum);
}

}  // namespace nsn
