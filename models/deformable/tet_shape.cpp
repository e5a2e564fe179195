#include "nsn/models/deformable/tet_shape.h"

#include <algorithm>
#include <cmath>

namespace nsn {

TetElement tet_element(const TetMesh& mesh, Index t, double factor) {
  TetElement element;
  const auto& tet = mesh.tet[static_cast<std::size_t>(t)];
  std::copy(tet.begin(), tet.end(), element.node);
  std::sort(element.node, element.node + 4);
  const auto position = [&](int a) { return mesh.node[static_cast<std::size_t>(element.node[a])]; };
  const Vec3 x0 = position(0);
  const Mat3 Dm = columns(position(1) - x0, position(2) - x0, position(3) - x0);
  const double det = determinant(Dm);
  const Mat3 G = (1.0 / det) * adjugate(Dm);  // rows g_2, g_3, g_4
  for (int i = 0; i < 3; ++i) {
    element.gradient[0][i] = -(G(0, i) + G(1, i) + G(2, i));
    for (int a = 0; a < 3; ++a) element.gradient[a + 1][i] = G(a, i);
  }
  element.volume = std::fabs(det) / 6.0;
  element.weight = element.volume * factor;
  element.length = std::cbrt(element.volume);
  return element;
}

}  // namespace nsn
