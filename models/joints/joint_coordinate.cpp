#include "models/joints/joint_coordinate.h"

#include <algorithm>
#include <cmath>

#include "models/rows/row_set.h"

namespace nsn {
namespace {

using Kind = JointCoordinate::Kind;

/// The vector part and its sign-corrected scalar: Q and -Q are the same turn, w >= 0 the near one.
struct TurnParts {
  double w;
  Vec3 v;
};

TurnParts near_turn(const Quaternion& q) {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  return {sign * q.w, {sign * q.x, sign * q.y, sign * q.z}};
}

Vec3 unit(int i) {
  Vec3 e;
  e[i] = 1.0;
  return e;
}

/// Gradients of w and z of Q under a small turn of frame a, in the axes of b.
struct TwistGradients {
  Vec3 w;
  Vec3 z;
};

TwistGradients twist_gradients(const Quaternion& q) {
  const Vec3 v{q.x, q.y, q.z};
  return {-0.5 * v, 0.5 * (q.w * unit(2) + cross(v, unit(2)))};
}

CoordinateGradient point_gradient(const Vec3& n, const FramePair& pair) {
  return {dot(n, pair.between), n, cross(pair.arm_a, n), -cross(pair.arm_b, n)};
}

CoordinateGradient turning(double value, const Vec3& axis) {
  return {value, {}, axis, -axis};
}

CoordinateGradient twist_gradient(const FramePair& pair) {
  const Quaternion& q = pair.turn;
  const TwistGradients d = twist_gradients(q);
  const double size = q.w * q.w + q.z * q.z;
  const Vec3 axis = (2.0 / size) * (q.w * d.z - q.z * d.w);
  return turning(2.0 * std::atan2(q.z, q.w), pair.axes_b * axis);
}

/// 2 atan(z / w): the second derivatives of z and w themselves cancel.
Mat3 twist_curvature(const FramePair& pair) {
  const Quaternion& q = pair.turn;
  const TwistGradients d = twist_gradients(q);
  const double size = q.w * q.w + q.z * q.z;
  const double ww = 2.0 * q.w * q.z / (size * size);
  const double wz = (q.z * q.z - q.w * q.w) / (size * size);
  const Mat3 inner =
      ww * (outer(d.w, d.w) - outer(d.z, d.z)) + wz * (outer(d.w, d.z) + outer(d.z, d.w));
  return 2.0 * (pair.axes_b * inner * transpose(pair.axes_b));
}

Vec3 direction(const FramePair& pair) {
  const double length = norm(pair.between);
  return length > 0.0 ? (1.0 / length) * pair.between : unit(2);
}

CoordinateCurvature distance_curvature(const FramePair& pair) {
  const double length = norm(pair.between);
  if (!(length > 0.0)) return {};
  const Vec3 n = direction(pair);
  const Mat3 across = (1.0 / length) * (identity<3>() - outer(n, n));
  const auto angular = [&](const Vec3& arm, double sign) {
    return arm_stiffness(arm, sign * n) + skew(arm) * across * transpose(skew(arm));
  };
  return {across, angular(pair.arm_a, 1.0), angular(pair.arm_b, -1.0)};
}

/// The cosine of an axis of a and one of b. Turning b is turning a the other way: gradients are
/// opposite, curvatures the same.
struct Cosine {
  Vec3 a;
  Vec3 b;
  double value;
  Vec3 gradient;

  Mat3 curvature() const { return arm_stiffness(a, b); }
};

Cosine cosine(const FramePair& pair, int i, int j) {
  const Vec3 a = column(pair.axes_a, i);
  const Vec3 b = column(pair.axes_b, j);
  return {a, b, dot(a, b), cross(a, b)};
}

double orientation_of(int i, int j) {
  return (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
}

/// f(n, d) = s atan2(t n, d) of two cosines.
struct Azimuth {
  double s;
  double t;
  Cosine n;
  Cosine d;

  double value() const { return s * std::atan2(t * n.value, d.value); }
  Vec3 gradient() const {
    return (s * t / squared()) * (d.value * n.gradient - n.value * d.gradient);
  }
  Mat3 curvature() const {
    const double q = squared();
    const double nn = -2.0 * n.value * d.value / q;
    const double nd = (n.value * n.value - d.value * d.value) / q;
    const Mat3 first = d.value * n.curvature() - n.value * d.curvature();
    const Mat3 second = nn * (outer(n.gradient, n.gradient) - outer(d.gradient, d.gradient)) +
                        nd * (outer(n.gradient, d.gradient) + outer(d.gradient, n.gradient));
    return (s * t / q) * (first + second);
  }
  /// Zero where the axis points along the one it is seen from: no direction, a finite gradient.
  double squared() const { return std::max(n.value * n.value + d.value * d.value, 1e-12); }
};

Azimuth azimuth(const JointCoordinate& c, const FramePair& pair) {
  const int k = 3 - c.i - c.j;
  const double t = orientation_of(c.i, c.j);
  if (c.kind == Kind::kAzimuthA) return {1.0, t, cosine(pair, c.j, k), cosine(pair, c.j, c.j)};
  return {-1.0, t, cosine(pair, k, c.j), cosine(pair, c.j, c.j)};
}

/// log Q = angle axis, the near turn: angle in [0, pi]. Without an angle there is no axis.
struct RotationVector {
  double angle;
  Vec3 axis;

  Vec3 vector() const { return angle * axis; }
};

RotationVector rotation_vector(const Quaternion& turn) {
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

InverseTurn inverse_turn(double t) {
  if (t < 1e-2) return {1.0 / 12.0 + t * t / 720.0, t / 360.0};
  const double half = 0.5 * t;
  const double cot = std::cos(half) / std::sin(half);
  const double g = (1.0 - half * cot) / (t * t);
  const double inner = -0.5 * cot + 0.25 * t * (1.0 + cot * cot);  // of 1 - (t/2) cot(t/2)
  return {g, inner / (t * t) - 2.0 * g / t};
}

/// d log(exp(e) Q) / de = I - [p]/2 + g [p]^2 with p = log Q, e a turn of a in the axes of b.
Mat3 log_gradient(const RotationVector& p, const InverseTurn& f) {
  const Mat3 P = skew(p.vector());
  return identity<3>() - 0.5 * P + f.g * (P * P);
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

/// 1 / sqrt(1 - c^2), bounded next to a right angle.
double elevation_slope(double c) {
  return 1.0 / std::sqrt(std::max(1.0 - c * c, 1e-12));
}

Mat3 elevation_curvature(const Cosine& c) {
  const double slope = elevation_slope(c.value);
  return slope * c.curvature() + (c.value * slope * slope * slope) * outer(c.gradient, c.gradient);
}

}  // namespace

FramePair place_frames(const BodyState& a, const JointFrame& frame_a, const BodyState& b,
                       const JointFrame& frame_b) {
  FramePair pair;
  pair.arm_a = a.R * frame_a.origin;
  pair.arm_b = b.R * frame_b.origin;
  pair.between = (a.x - b.x) + (pair.arm_a - pair.arm_b);
  const Quaternion q_a = a.q * frame_a.rotation;
  const Quaternion q_b = b.q * frame_b.rotation;
  pair.axes_a = rotation_matrix(q_a);
  pair.axes_b = rotation_matrix(q_b);
  pair.turn = conjugate(q_b) * q_a;
  return pair;
}

CoordinateGradient coordinate_gradient(const JointCoordinate& c, const FramePair& pair) {
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
      return turning(2.0 * q.v[c.i], pair.axes_b * (q.w * e + cross(q.v, e)));
    }
    case Kind::kTwist:
      return twist_gradient(pair);
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
      const Cosine sine = cosine(pair, c.i, c.j);
      return turning(std::asin(std::clamp(sine.value, -1.0, 1.0)),
                     elevation_slope(sine.value) * sine.gradient);
    }
    case Kind::kRotation: {
      const RotationVector p = rotation_vector(pair.turn);
      const Mat3 A = log_gradient(p, inverse_turn(p.angle));
      return turning(p.vector()[c.i], pair.axes_b * (transpose(A) * unit(c.i)));
    }
    case Kind::kAngle: {
      const RotationVector p = rotation_vector(pair.turn);
      return turning(p.angle, pair.axes_b * p.axis);
    }
  }
  return {};
}

CoordinateCurvature coordinate_curvature(const JointCoordinate& c, const FramePair& pair) {
  switch (c.kind) {
    case Kind::kPoint: {
      const Vec3 e = unit(c.i);
      return {{}, arm_stiffness(pair.arm_a, e), arm_stiffness(pair.arm_b, -e)};
    }
    case Kind::kAlong: {
      const Vec3 n = column(pair.axes_b, c.i);
      return {{}, arm_stiffness(pair.arm_a, n), arm_stiffness(n, pair.arm_b + pair.between)};
    }
    case Kind::kCosine: {
      const Mat3 K = arm_stiffness(column(pair.axes_a, c.i), column(pair.axes_b, c.j));
      return {{}, K, K};
    }
    case Kind::kTurn: {
      const Mat3 K = (-0.5 * near_turn(pair.turn).v[c.i]) * identity<3>();
      return {{}, K, K};
    }
    case Kind::kTwist: {
      const Mat3 K = twist_curvature(pair);
      return {{}, K, K};
    }
    case Kind::kDistance:
      return distance_curvature(pair);
    case Kind::kAzimuthA:
    case Kind::kAzimuthB: {
      const Mat3 K = azimuth(c, pair).curvature();
      return {{}, K, K};
    }
    case Kind::kElevation: {
      const Mat3 K = elevation_curvature(cosine(pair, c.i, c.j));
      return {{}, K, K};
    }
    case Kind::kRotation:
    case Kind::kAngle: {
      const RotationVector p = rotation_vector(pair.turn);
      const Mat3 inner = c.kind == Kind::kAngle ? angle_curvature(p) : log_curvature(p, c.i);
      const Mat3 K = pair.axes_b * inner * transpose(pair.axes_b);
      return {{}, K, K};
    }
  }
  return {};
}

}  // namespace nsn
