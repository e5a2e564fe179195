/// Two shapes where they are now, and how far they have moved against each other.
#pragma once

#include <cmath>
#include <utility>

#include "nsn/models/collision/shape.h"

namespace nsn {

struct PlacedPair {
  std::pair<int, int> key;  ///< ascending from call to call within a step
  Pose a;
  Pose b;
  double reach = 0.0;  ///< no point of shape a is further from a.x, m
  double margin = 0.0;
};

/// No unit vector of a has turned further as seen from b since a was at `a_in_b`: Frobenius norm of
/// the difference.
inline double turn(const Pose& a_in_b, const Pose& now) {
  double squared = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) squared += std::pow(now.R(i, j) - a_in_b.R(i, j), 2);
  }
  return std::sqrt(squared);
}

/// No point of shape a has moved further as seen from b, m, since a was at `a_in_b`.
inline double motion(const Pose& a_in_b, const PlacedPair& pair) {
  const Pose now = seen_from(pair.b, pair.a);
  return norm(now.x - a_in_b.x) + pair.reach * turn(a_in_b, now);
}

}  // namespace nsn
