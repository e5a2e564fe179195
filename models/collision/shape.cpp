#include "models/collision/shape.h"

namespace nsn {

bool overlap(const Aabb& a, const Aabb& b) {
  if (!a.bounded || !b.bounded) return true;
  return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] &&
         b.lower[1] <= a.upper[1] && a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
}

}  // namespace nsn
