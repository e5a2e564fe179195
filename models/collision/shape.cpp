#include "models/collision/shape.h"

namespace nsn {

bool overlap(const Aabb& a, const Aabb& b) {
  if (!a.bounded || !b.bounded) return true;
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

}  // namespace nsn
