/// Spins in m/s: the radius of gyration of their body.
#pragma once

#include <cmath>

#include "nsn/core/step/system.h"

namespace nsn {

/// m per rad of a node: about the axis across the longest side, sqrt(tr I / 2 m); 1 for velocities.
inline double spin_arm(const System& system, Index n) {
  if (n >= system.rigid_nodes || n % 2 == 0) return 1.0;
  const double* const I = &system.M(kBlockSize * n);
  const double mass = system.M(kBlockSize * (n - 1));
  return std::sqrt((I[0] + I[4] + I[8]) / (2.0 * mass));
}

}  // namespace nsn
