#include "models/collision/plane.h"

namespace nsn {

SurfaceMesh Plane::surface() const {
  const double s = 0.5 * extent_;
  return {{{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}}, {{0, 1, 2, 3}}};
}

}  // namespace nsn
