/// Objects that are hard to grasp: irregular, concave, of many triangles, and not manifold.
///
/// A ball of 1280 triangles whose radius is a function of the direction; a wall inside (edges of
/// three triangles) and a patch of triangles that exist twice (edges of four) make it what scans
/// and downloaded meshes are.
#pragma once

#include <string>

#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

inline constexpr int kIrregularObjects = 14;

const char* irregular_object_name(int kind);
/// kind 0 ... kIrregularObjects - 1; `radius` of the ball it is made from, m. Throws
/// std::invalid_argument for another kind.
TriangleSurface irregular_object(int kind, double radius);

}  // namespace nsn
