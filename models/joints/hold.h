/// Rows that several joints are made of.
#pragma once

#include <cstdint>

#include "nsn/models/joints/joint.h"

namespace nsn {

inline JointCoordinate coordinate(JointCoordinate::Kind kind, int i = 0, int j = 0) {
  return {kind, static_cast<std::int8_t>(i), static_cast<std::int8_t>(j)};
}

inline Joint make_joint(const char* type, int body_a, int body_b) {
  Joint joint;
  joint.type = type;
  joint.body_a = body_a;
  joint.body_b = body_b;
  return joint;
}

/// The origins coincide: three rows.
inline void hold_point(Joint& joint) {
  for (int i = 0; i < 3; ++i) {
    joint.rows.push_back({coordinate(JointCoordinate::Kind::kPoint, i)});
  }
}
/// p_a stays on the z axis of b: two rows.
inline void hold_on_axis(Joint& joint) {
  for (int i = 0; i < 2; ++i) {
    joint.rows.push_back({coordinate(JointCoordinate::Kind::kAlong, i)});
  }
}
/// The frames stay parallel: three rows.
inline void hold_turn(Joint& joint) {
  for (int i = 0; i < 3; ++i) {
    joint.rows.push_back({coordinate(JointCoordinate::Kind::kTurn, i)});
  }
}
/// The z axes stay parallel: two rows.
inline void hold_axis(Joint& joint) {
  for (int j = 0; j < 2; ++j) {
    joint.rows.push_back({coordinate(JointCoordinate::Kind::kCosine, 2, j)});
  }
}

}  // namespace nsn
