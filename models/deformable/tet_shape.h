/// Linear shape functions of one tetrahedron: F = sum_a x_a g_a^T.
#pragma once

#include <array>

#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

struct TetShape {
  std::array<Index, 4> node;     ///< ascending; F does not depend on their order
  std::array<Vec3, 4> gradient;  ///< g_a, 1/m, of the rest shape; their sum is 0
  double volume;                 ///< at rest, m^3
};
TetShape tet_shape(const TetMesh& mesh, Index t);

}  // namespace nsn
