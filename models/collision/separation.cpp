#include "nsn/models/collision/separation.h"

namespace nsn {
namespace {

constexpr int kDirections = 3;

}  // namespace

Separation find_separation(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a,
                           double reach) {
  Separation best;
  const Vec3 between = centre(a.box()) - b_in_a.apply(centre(b.box()));
  Vec3 up = norm(between) > 0.0 ? normalized(between) : Vec3{0.0, 0.0, 1.0};
  for (int k = 0; k < kDirections; ++k) {
    const Vec3 low = a.support(-up);
    const Vec3 local = transpose_times(b_in_a.R, up);
    const Vec3 high = b.support(local);
    const Vec3 across = low - b_in_a.apply(high) - reach * up;
    const double gap = dot(up, across) + reach;
    if (gap > best.gap) best = {up, -local, dot(up, low), -dot(local, high), gap};
    const double squared = dot(across, across);
    if (best.gap > reach || squared == 0.0) break;
    up -= (2.0 * dot(up, across) / squared) * across;
  }
  return best;
}

}  // namespace nsn
