#include "nsn/models/joints/joint_coordinate.h"

#include <cmath>

#include "nsn/core/base/lanes.h"
#include "nsn/core/rows/coordinate_kernels.h"
#include "nsn/models/rows/row_set.h"

namespace nsn {

using namespace joint_kernels;

namespace {

/// The second derivatives of z and w themselves cancel.
NSN_INLINE Mat3 twist_curvature(const FramePair& pair) {
  const Twist t = twist(pair.turn);
  return symmetric_outer(pair.axes_b * t.g, pair.axes_b * -t.l);
}

NSN_INLINE CoordinateCurvature distance_curvature(const FramePair& pair) {
  const double length = norm(pair.between);
  if (!(length > 0.0)) return {};
  const Vec3 n = direction(pair);
  const Mat3 across = (1.0 / length) * (identity<3>() - outer(n, n));
  const auto angular = [&](const Vec3& arm, double sign) {
    return arm_stiffness(arm, sign * n) + skew(arm) * across * transpose(skew(arm));
  };
  return {across, angular(pair.arm_a, 1.0), angular(pair.arm_b, -1.0)};
}

/// Second derivative of component i of that logarithm, symmetric.
Mat3 log_curvature(const RotationVector& p, int i) {
  const InverseTurn f = inverse_turn(p.angle);
  const Mat3 A = log_gradient(p, f);
  const Mat3 P = skew(p.vector());
  const Vec3 e = unit(i);
  const Mat3 turned = skew(e) * (0.5 * identity<3>() - f.g * P) - f.g * skew(cross(e, p.vector()));
  const Mat3 K = transpose(A) * turned + f.slope * outer(p.axis, P * (P * e));
  return 0.5 * (K + transpose(K));
}

/// cot(t/2) / 2 (I - n n^T): without bound next to no turn at all, where a limit is never met.
Mat3 angle_curvature(const RotationVector& p) {
  if (!(p.angle > 1e-6)) return {};
  return (0.5 / std::tan(0.5 * p.angle)) * (identity<3>() - outer(p.axis, p.axis));
}

NSN_INLINE Mat3 elevation_curvature(const Vec3& a, const Vec3& b) {
  const double sine = dot(a, b);
  const double slope = elevation_slope(sine);
  const Vec3 g = slope * cross(a, b);
  return slope * arm_stiffness(a, b) + symmetric_outer((sine * slope) * g, g);
}

/// By a turn of either frame; of kinds that do not depend on where the frames are.
NSN_INLINE Mat3 turning_curvature(const JointCoordinate& c, const FramePair& pair) {
  switch (c.kind) {
    case Kind::kCosine:
      return arm_stiffness(column(pair.axes_a, c.i), column(pair.axes_b, c.j));
    case Kind::kTurn:
      return (-0.5 * near_turn(pair.turn).v[c.i]) * identity<3>();
    case Kind::kTwist:
      return twist_curvature(pair);
    case Kind::kAzimuthA:
    case Kind::kAzimuthB:
      return azimuth(c, pair).curvature();
    case Kind::kElevation:
      return elevation_curvature(column(pair.axes_a, c.i), column(pair.axes_b, c.j));
    default: {
      const RotationVector p = rotation_vector(pair.turn);
      const Mat3 inner = c.kind == Kind::kAngle ? angle_curvature(p) : log_curvature(p, c.i);
      return pair.axes_b * inner * transpose(pair.axes_b);
    }
  }
}

}  // namespace

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
  switch (c.kind) {
    case Kind::kPoint:
    case Kind::kAlong: {
      const bool fixed = c.kind == Kind::kPoint;
      const Vec3 n = factor * (fixed ? unit(c.i) : column(pair.axes_b, c.i));
      sum.angular_a += arm_stiffness(pair.arm_a, n);
      sum.angular_b +=
          fixed ? arm_stiffness(pair.arm_b, -n) : arm_stiffness(pair.arm_b + pair.between, n);
      return;
    }
    case Kind::kDistance: {
      const CoordinateCurvature own = distance_curvature(pair);
      sum.linear += factor * own.linear;
      sum.angular_a += factor * own.angular_a;
      sum.angular_b += factor * own.angular_b;
      return;
    }
    default: {
      const Mat3 K = factor * turning_curvature(c, pair);
      sum.angular_a += K;
      sum.angular_b += K;
    }
  }
}

}  // namespace nsn
