/// The contact points between two shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/math3.h"

namespace nsn {

/// One pair of nearest points, world axes.
struct ContactPoint {
  Vec3 on_a;              ///< on the surface of shape a
  Vec3 on_b;              ///< on the surface of shape b
  Vec3 normal;            ///< unit, from b to a; gap = normal . (on_a - on_b), < 0 in penetration
  std::uint32_t feature;  ///< which vertices, edges or faces meet: the same from step to step
  bool turns_a = true;    ///< the point moves with a's rotation (a corner); false: with a's centre
  bool turns_b = true;    ///< only (a sphere, whose nearest point stays where it is)
};

using Manifold = std::vector<ContactPoint>;

}  // namespace nsn
