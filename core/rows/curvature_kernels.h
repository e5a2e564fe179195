/// Second derivatives of the coordinates of joints (core/rows/joint_coordinate.h) as inline functions,
/// and those of a whole joint.
#pragma once

#include "nsn/core/rows/body_stiffness.h"
#include "nsn/core/rows/coordinate_kernels.h"
#include "nsn/core/rows/step_records.h"

namespace nsn::joint_kernels {

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
NSN_FUNCTION Mat3 log_curvature(const RotationVector& p, int i) {
  const InverseTurn f = inverse_turn(p.angle);
  const Mat3 A = log_gradient(p, f);
  const Mat3 P = skew(p.vector());
  const Vec3 e = unit(i);
  const Mat3 turned = skew(e) * (0.5 * identity<3>() - f.g * P) - f.g * skew(cross(e, p.vector()));
  const Mat3 K = transpose(A) * turned + f.slope * outer(p.axis, P * (P * e));
  return 0.5 * (K + transpose(K));
}

/// cot(t/2) / 2 (I - n n^T): without bound next to no turn at all, where a limit is never met.
NSN_FUNCTION Mat3 angle_curvature(const RotationVector& p) {
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

/// sum += factor times that of a coordinate.
NSN_INLINE void add_curvature(const JointCoordinate& c, const FramePair& pair, double factor,
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

/// Of the rows of one joint under their impulses: add its blocks, then read sum().
class JointCurvature {
 public:
  /// Three rows that hold the points of the frames together.
  NSN_INLINE void add_points(const FramePair& pair, const Vec3& r) {
    sum_.angular_a += arm_stiffness(pair.arm_a, r);
    sum_.angular_b += arm_stiffness(pair.arm_b, -r);
  }
  NSN_INLINE void add_row(const JointRowRecord& row, const FramePair& pair, double r) {
    if (row.padding || r == 0.0) return;
    if (row.axis < 0) {
      joint_kernels::add_curvature(row.coordinate, pair, row.sign * r, sum_);
    } else {
      along_[row.axis] += row.sign * r;
      coordinate_[row.axis] = row.coordinate;
    }
  }
  NSN_INLINE const CoordinateCurvature& sum(const FramePair& pair) {
    for (int axis = 0; axis < kSharedAxes; ++axis) {
      if (along_[axis] != 0.0)
        joint_kernels::add_curvature(coordinate_[axis], pair, along_[axis], sum_);
    }
    return sum_;
  }

 private:
  CoordinateCurvature sum_;
  double along_[kSharedAxes] = {};  // of all rows of an axis
  JointCoordinate coordinate_[kSharedAxes];
};

}  // namespace nsn::joint_kernels
