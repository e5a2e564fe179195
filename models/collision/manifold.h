/// The contact points between two shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "nsn/core/base/math3.h"

namespace nsn {

/// One pair of nearest points, world axes.
///
/// Rounded shapes (a ball, a capsule, the side of a cylinder) roll without their nearest point
/// leaving its place. Such a point is a point of the core, which turns with the shape, and `radius`
/// along the normal, which does not:
///
///   on_a = core_a - radius_a normal,     on_b = core_b + radius_b normal
struct ContactPoint {
  Vec3 on_a;    ///< on the surface of shape a
  Vec3 on_b;    ///< on the surface of shape b
  Vec3 normal;  ///< unit, from b to a; gap = normal . (on_a - on_b), < 0 in penetration
  std::uint64_t feature = 0;  ///< which vertices, edges or faces meet: the same from step to step
  double radius_a = 0.0;      ///< m
  double radius_b = 0.0;      ///< m
};

inline double gap(const ContactPoint& point) {
  return dot(point.normal, point.on_a - point.on_b);
}

using Manifold = std::vector<ContactPoint>;

/// `point` is one of out[begin, end) again: nearer than `near` (m), its normal the same to 1e-4
/// rad.
inline bool repeats(const Manifold& out, std::size_t begin, std::size_t end,
                    const ContactPoint& point, double near) {
  for (std::size_t k = begin; k < end; ++k) {
    if (dot(out[k].normal, point.normal) > 1.0 - 1e-8 && norm(out[k].on_a - point.on_a) < near) {
      return true;
    }
  }
  return false;
}

/// What meets what. Numbers of vertices, edges and faces belong to the shape; a shape that has none
/// (a ball) uses 0.
enum class FeatureKind : std::uint64_t {
  kVertexOfA = 1,  ///< vertex of a (first number) on a face of b (second; 0 for convex shapes)
  kVertexOfB = 2,  ///< face of a (0 for convex shapes), vertex of b
  kEdges = 3,      ///< edge of a, edge of b
  kNearest = 4,    ///< the one pair of nearest points, other than the above
};

/// 64-bit mixing of splitmix64: nearby inputs, unrelated outputs.
inline std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}
inline std::uint64_t feature_id(FeatureKind kind, std::uint64_t a, std::uint64_t b) {
  return mix_bits(mix_bits(mix_bits(static_cast<std::uint64_t>(kind)) ^ a) ^ b);
}
/// An edge by its two vertices, in any order.
inline std::uint64_t edge_number(int i, int j) {
  const auto low = static_cast<std::uint64_t>(i < j ? i : j);
  const auto high = static_cast<std::uint64_t>(i < j ? j : i);
  return low << 32U | high;
}

}  // namespace nsn
