/// What a row of a joint measures: a scalar C(q) of two frames, its gradient and its curvature.
///
/// Frame a sits on body a, frame b on body b; p are their origins, a_i and b_i their axes in world
/// axes, d = p_a - p_b, and Q = q_b^-1 q_a the orientation of a seen from b, (w, x, y, z).
///
/// | kind      | C                  | unit | used by                                  |
/// |-----------|--------------------|------|------------------------------------------|
/// | kPoint    | e_i . d            | m    | points held together; e_i a world axis   |
/// | kAlong    | b_i . d            | m    | sliding along or across an axis of b     |
/// | kCosine   | a_i . b_j          | rad  | two axes at right angles                 |
/// | kTurn     | 2 (x, y or z of Q) | rad  | orientation held; exact at small angles  |
/// | kTwist    | 2 atan(z / w)      | rad  | angle about b_z                          |
/// | kDistance | abs(d)             | m    | length of a link                         |
/// | kRotation | (log Q)_i, axes of b | rad | springs and dampers of a ball joint     |
/// | kAngle    | abs(log Q)         | rad  | limit of a ball joint: a cone about none |
///
/// Angles of two and three hinges in a row through one point (models/joints/hinges.h), with k the
/// third axis, b_i x b_j = +-b_k:
///
/// | kind        | C                                   | unit |                                   |
/// |-------------|-------------------------------------|------|-----------------------------------|
/// | kAzimuthA   | atan2(+-a_j . b_k, a_j . b_j)       | rad  | of a_j about b_i, from b_j        |
/// | kAzimuthB   | -atan2(+-b_j . a_k, b_j . a_j)      | rad  | of b_j about a_i, from a_j, minus |
/// | kElevation  | asin(a_i . b_j)                     | rad  | of a_i over the plane across b_j  |
///
/// A joint is a list of these (models/joints/joint.h); nothing else about it needs derivatives. All
/// of them depend on the difference of the two centres alone, so the linear gradient of body b is
/// the negative of body a's.
#pragma once

#include <cstdint>

#include "nsn/core/base/math3.h"
#include "nsn/core/rows/body_state.h"

namespace nsn {

/// A frame in body axes; its z axis is the axis of the joint.
struct JointFrame {
  Vec3 origin;          ///< m, from the centre of mass
  Quaternion rotation;  ///< from frame to body axes
};

struct JointCoordinate {
  enum class Kind : std::uint8_t {
    kPoint,
    kAlong,
    kCosine,
    kTurn,
    kTwist,
    kDistance,
    kAzimuthA,
    kAzimuthB,
    kElevation,
    kRotation,
    kAngle
  };

  Kind kind = Kind::kPoint;
  std::int8_t i = 0;  ///< axis, 0 ... 2
  std::int8_t j = 0;  ///< second axis where the kind has one

  /// Measured in radians, not metres.
  NSN_FUNCTION bool angular() const {
    return kind != Kind::kPoint && kind != Kind::kAlong && kind != Kind::kDistance;
  }
  /// The value is an angle of which only the remainder by a whole turn is seen.
  NSN_FUNCTION bool periodic() const {
    return kind == Kind::kTwist || kind == Kind::kAzimuthA || kind == Kind::kAzimuthB;
  }
};

/// Two frames in the world.
struct FramePair {
  Vec3 arm_a;       ///< p_a from the centre of body a, world axes
  Vec3 arm_b;       ///< p_b from the centre of body b
  Vec3 between;     ///< d = p_a - p_b
  Mat3 axes_a;      ///< columns a_x, a_y, a_z
  Mat3 axes_b;      ///< columns b_x, b_y, b_z
  Quaternion turn;  ///< Q
};

/// C and dC = linear . (dx_a - dx_b) + angular_a . dtheta_a + angular_b . dtheta_b.
struct CoordinateGradient {
  double value = 0.0;
  Vec3 linear;
  Vec3 angular_a;
  Vec3 angular_b;
};
/// Diagonal 3x3 blocks of the second derivative: by x_a (and x_b), theta_a, theta_b, symmetrised.
struct CoordinateCurvature {
  Mat3 linear;
  Mat3 angular_a;
  Mat3 angular_b;
};

}  // namespace nsn
