/// A direction along which two meshes are apart, or overlap little.
///
/// The first one tried is that between the middles, each further one the one before mirrored at
/// what overlaps along it (Chung and Wang 1996).
#pragma once

#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {

struct Separation {
  Vec3 up;              ///< unit, from b towards a, axes of a
  Vec3 down;            ///< the opposite one, axes of b
  double low = 0;       ///< least up . x of a, m
  double high = 0;      ///< least down . x of b, m
  double gap = -1e300;  ///< the meshes are at least so far apart along it, m; < 0: they overlap
};

/// The best of a few directions; the first along which the gap is more than `reach` (m) will do.
/// `b_in_a`: where b is in the axes of a.
Separation find_separation(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                           double reach);

}  // namespace nsn
