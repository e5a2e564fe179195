/// What joints transmit, and how well they hold.
#pragma once

#include "nsn/core/base/math3.h"

namespace nsn {

/// Where the directions of joint impulses are taken.
enum class ForceDirections { kEndOfStep, kStartOfStep };

/// What a joint transmits, world axes: on body b, torque about the origin of frame b. Body a feels
/// the opposite at the same point.
struct JointReaction {
  Vec3 force;   ///< N
  Vec3 torque;  ///< N m
};

/// How far joints are from where their rigid rows and limits hold them.
struct JointDrift {
  double distance = 0.0;      ///< largest of a rigid row, m
  double angle = 0.0;         ///< the same, rad
  double limit_excess = 0.0;  ///< largest beyond a limit, m or rad
};

}  // namespace nsn
