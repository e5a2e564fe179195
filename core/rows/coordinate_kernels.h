/// Frames of joints and gradients of their coordinates as inline functions: for what evaluates many
/// of them at once (models/joints/joint_coordinate.h has the same as plain functions, and devices call these).
///
/// Numbers stay in registers from the frames to the rows of J. Written to memory in between they
/// would be read back as longer vectors, which waits for the stores.
#pragma once

#include <cmath>
#include <numbers>

#include "nsn/core/base/lanes.h"
#include "nsn/core/rows/joint_coordinate.h"

namespace nsn::joint_kernels {

using Kind = JointCoordinate::Kind;

/// What is not a number stays.
NSN_INLINE double at_least(double value, double least) {
  return value < least ? least : value;
}

/// R v
NSN_INLINE Vec3 turned(const Mat3& R, const Vec3& v) {
  return {R(0, 0) * v[0] + R(0, 1) * v[1] + R(0, 2) * v[2],
          R(1, 0) * v[0] + R(1, 1) * v[1] + R(1, 2) * v[2],
          R(2, 0) * v[0] + R(2, 1) * v[1] + R(2, 2) * v[2]};
}

NSN_INLINE FramePair place(const BodyState& a, const JointFrame& frame_a, const BodyState& b,
                           const JointFrame& frame_b) {
  const Vec3 arm_a = turned(a.R, frame_a.origin);
  const Vec3 arm_b = turned(b.R, frame_b.origin);
  const Quaternion q_a = a.q * frame_a.rotation;
  const Quaternion q_b = b.q * frame_b.rotation;
  return {arm_a,
          arm_b,
          (a.x - b.x) + (arm_a - arm_b),
          rotation_matrix(q_a),
          rotation_matrix(q_b),
          conjugate(q_b) * q_a};
}

/// The vector part and its sign-corrected scalar: Q and -Q are the same turn, w >= 0 the near one.
struct TurnParts {
  double w;
  Vec3 v;
};

NSN_INLINE TurnParts near_turn(const Quaternion& q) {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  return {sign * q.w, {sign * q.x, sign * q.y, sign * q.z}};
}

/// Entry by entry: a matrix made first and copied then is read back as it is written.
NSN_INLINE void store_diagonal(double* p, double d) {
  p[0] = p[4] = p[8] = d;
  p[1] = p[2] = p[3] = p[5] = p[6] = p[7] = 0.0;
}
NSN_INLINE void store_skew(double* p, const Vec3& v) {
  p[0] = p[4] = p[8] = 0.0;
  p[1] = -v[2];
  p[2] = v[1];
  p[3] = v[2];
  p[5] = -v[0];
  p[6] = -v[1];
  p[7] = v[0];
}

NSN_INLINE Vec3 unit(int i) {
  return {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
}

NSN_INLINE CoordinateGradient point_gradient(const Vec3& n, const FramePair& pair) {
  return {dot(n, pair.between), n, cross(pair.arm_a, n), -cross(pair.arm_b, n)};
}

NSN_INLINE CoordinateGradient turning(double value, const Vec3& axis) {
  return {value, {}, axis, -axis};
}

/// C = 2 atan(z / w) grows along g and ln(w^2 + z^2) along l, turns of frame a in the axes of b.
struct Twist {
  Vec3 g;
  Vec3 l;
};

NSN_INLINE Twist twist(const Quaternion& q) {
  const double scale = 1.0 / (q.w * q.w + q.z * q.z);
  const double x = scale * (q.w * q.y + q.z * q.x);
  const double y = scale * (q.z * q.y - q.w * q.x);
  return {{x, y, 1.0}, {y, -x, 0.0}};
}

NSN_INLINE double twist_value(const FramePair& pair) {
  return 2.0 * std::atan2(pair.turn.z, pair.turn.w);
}

NSN_INLINE Vec3 direction(const FramePair& pair) {
  const double length = norm(pair.between);
  return length > 0.0 ? (1.0 / length) * pair.between : unit(2);
}

NSN_INLINE double orientation_of(int i, int j) {
  return (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
}

/// s atan2(n, d), n = u . x, d = u . y: the angle of an axis u of one frame between two of the
/// other. Turning b is turning a the other way: gradients are opposite, curvatures the same.
struct Azimuth {
  double s;
  double n;
  double d;
  Vec3 u;
  Vec3 w;  ///< the angle grows along w as u moves, (d x - n y) / (n^2 + d^2)
  Vec3 v;  ///< the same of ln |(n, d)|

  NSN_INLINE double value() const { return s * std::atan2(n, d); }
  NSN_INLINE Vec3 gradient() const { return cross(u, w); }
  NSN_INLINE Mat3 curvature() const {
    return s * (symmetric_outer(u, w) - symmetric_outer(cross(u, w), 2.0 * cross(u, v)));
  }
};

NSN_INLINE Azimuth azimuth(const JointCoordinate& c, const FramePair& pair) {
  const bool of_a = c.kind == Kind::kAzimuthA;
  const Mat3& seen = of_a ? pair.axes_a : pair.axes_b;
  const Mat3& from = of_a ? pair.axes_b : pair.axes_a;
  const Vec3 u = column(seen, c.j);
  const Vec3 x = orientation_of(c.i, c.j) * column(from, 3 - c.i - c.j);
  const Vec3 y = column(from, c.j);
  const double n = dot(u, x);
  const double d = dot(u, y);
  // No direction where u points along the axis it is seen from, but a finite gradient.
  const double scale = 1.0 / at_least(n * n + d * d, 1e-12);
  return {of_a ? 1.0 : -1.0, n, d, u, scale * (d * x - n * y), scale * (n * x + d * y)};
}

NSN_INLINE double elevation_value(double sine) {
  return std::asin(sine < -1.0 ? -1.0 : (sine > 1.0 ? 1.0 : sine));
}

/// 1 / sqrt(1 - c^2), bounded next to a right angle.
NSN_INLINE double elevation_slope(double c) {
  return 1.0 / std::sqrt(at_least(1.0 - c * c, 1e-12));
}

/// log Q = angle axis, the near turn: angle in [0, pi]. Without an angle there is no axis.
struct RotationVector {
  double angle;
  Vec3 axis;

  NSN_FUNCTION Vec3 vector() const { return angle * axis; }
};

NSN_INLINE RotationVector rotation_vector(const Quaternion& turn) {
  const TurnParts q = near_turn(turn);
  const double sine = norm(q.v);
  if (!(sine > 1e-12)) return {2.0 * sine, {}};
  return {2.0 * std::atan2(sine, q.w), (1.0 / sine) * q.v};
}

/// g(t) = (1 - (t/2) cot(t/2)) / t^2 and its derivative, by their series where those cancel.
struct InverseTurn {
  double g;
  double slope;
};

NSN_INLINE InverseTurn inverse_turn(double t) {
  if (t < 1e-2) return {1.0 / 12.0 + t * t / 720.0, t / 360.0};
  const double half = 0.5 * t;
  const double cot = std::cos(half) / std::sin(half);
  const double g = (1.0 - half * cot) / (t * t);
  const double inner = -0.5 * cot + 0.25 * t * (1.0 + cot * cot);  // of 1 - (t/2) cot(t/2)
  return {g, inner / (t * t) - 2.0 * g / t};
}

/// d log(exp(e) Q) / de = I - [p]/2 + g [p]^2 with p = log Q, e a turn of a in the axes of b.
NSN_INLINE Mat3 log_gradient(const RotationVector& p, const InverseTurn& f) {
  const Mat3 P = skew(p.vector());
  return identity<3>() - 0.5 * P + f.g * (P * P);
}

NSN_INLINE CoordinateGradient gradient(const JointCoordinate& c, const FramePair& pair) {
  switch (c.kind) {
    case Kind::kPoint:
      return point_gradient(unit(c.i), pair);
    case Kind::kAlong: {
      const Vec3 n = column(pair.axes_b, c.i);
      CoordinateGradient g = point_gradient(n, pair);
      g.angular_b = -cross(pair.arm_b + pair.between, n);  // n turns with b
      return g;
    }
    case Kind::kCosine: {
      const Vec3 a = column(pair.axes_a, c.i);
      const Vec3 b = column(pair.axes_b, c.j);
      return turning(dot(a, b), cross(a, b));
    }
    case Kind::kTurn: {
      const TurnParts q = near_turn(pair.turn);
      const Vec3 e = unit(c.i);
      return turning(2.0 * q.v[c.i], turned(pair.axes_b, q.w * e + cross(q.v, e)));
    }
    case Kind::kTwist:
      return turning(twist_value(pair), turned(pair.axes_b, twist(pair.turn).g));
    case Kind::kDistance: {
      CoordinateGradient g = point_gradient(direction(pair), pair);
      g.value = norm(pair.between);
      return g;
    }
    case Kind::kAzimuthA:
    case Kind::kAzimuthB: {
      const Azimuth angle = azimuth(c, pair);
      return turning(angle.value(), angle.gradient());
    }
    case Kind::kElevation: {
      const Vec3 a = column(pair.axes_a, c.i);
      const Vec3 b = column(pair.axes_b, c.j);
      const double sine = dot(a, b);
      return turning(elevation_value(sine), elevation_slope(sine) * cross(a, b));
    }
    case Kind::kRotation: {
      const RotationVector p = rotation_vector(pair.turn);
      const Mat3 A = log_gradient(p, inverse_turn(p.angle));
      return turning(p.vector()[c.i], turned(pair.axes_b, transpose(A) * unit(c.i)));
    }
    case Kind::kAngle: {
      const RotationVector p = rotation_vector(pair.turn);
      return turning(p.angle, turned(pair.axes_b, p.axis));
    }
  }
  return {};
}

/// The value that a periodic angle means next to `reference`.
NSN_INLINE double unwrapped(const JointCoordinate& c, double value, double reference) {
  if (!c.periodic()) return value;
  constexpr double kTurn = 2.0 * std::numbers::pi;
  if (std::fabs(reference - value) < 0.5 * kTurn) return value;
  return value + kTurn * std::round((reference - value) / kTurn);
}

/// C = d: three rows at once, held at `offset`.
template <class Out>
NSN_INLINE void evaluate_points(const Vec3& offset, const FramePair& pair, double h,
                                const Out& out) {
  for (int i = 0; i < 3; ++i) out.value[i] = (pair.between[i] - offset[i]) / h;
  store_diagonal(out.J[0], 1.0);
  store_skew(out.J[1], -pair.arm_a);  // w x arm
  store_diagonal(out.J[2], -1.0);
  store_skew(out.J[3], pair.arm_b);
}

/// Row i of a block: sign (C - offset) / h.
template <class Out>
NSN_INLINE void evaluate_row(int i, const CoordinateGradient& g, double sign, double offset,
                             double h, const Out& out) {
  out.value[i] = sign * (g.value - offset) / h;
  store3(out.J[0] + 3 * i, sign * g.linear);
  store3(out.J[1] + 3 * i, sign * g.angular_a);
  store3(out.J[2] + 3 * i, -sign * g.linear);
  store3(out.J[3] + 3 * i, sign * g.angular_b);
}

/// Row i of a block that holds nothing.
template <class Out>
NSN_INLINE void evaluate_padding(int i, const Out& out) {
  out.value[i] = 0.0;
  for (int k = 0; k < 4; ++k) store3(out.J[k] + 3 * i, {});
}

}  // namespace nsn::joint_kernels
