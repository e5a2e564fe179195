#include "nsn/models/deformable/tet_shape.h"

#include <algorithm>
#include <cmath>

namespace nsn {

TetShape tet_shape(const TetMesh& mesh, Index t) {
  TetShape shape;
  shape.node = mesh.tet[static_cast<std::size_t>(t)];
  std::sort(shape.node.begin(), shape.node.end());
  const auto position = [&](std::size_t a) {
    return mesh.node[static_cast<std::size_t>(shape.node[a])];
  };
  const Vec3 x0 = position(0);
  const Mat3 Dm = columns(position(1) - x0, position(2) - x0, position(3) - x0);
  const double det = determinant(Dm);
  const Mat3 G = (1.0 / det) * adjugate(Dm);  // rows g_2, g_3, g_4
  for (int i = 0; i < 3; ++i) {
    shape.gradient[0][i] = -(G(0, i) + G(1, i) + G(2, i));
    for (int a = 0; a < 3; ++a) shape.gradient[static_cast<std::size_t>(a) + 1][i] = G(a, i);
  }
  shape.volume = std::fabs(det) / 6.0;
  return shape;
}

}  // namespace nsn
