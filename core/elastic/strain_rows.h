/// Six strains as two blocks of rows, normal (xx, yy, zz) and engineering shear (yz, xz, xy), and
/// the stiffness between them.
#pragma once

#include "nsn/core/elastic/materials.h"

namespace nsn {

/// 2 G I + Lambda 1 1^T, the normal block of K_e; the shear block is G I.
NSN_FUNCTION Mat3 strain_stiffness(const Lame& lame) {
  Mat3 K = 2.0 * lame.G * identity<3>();
  for (double& x : K.a) x += lame.Lambda;
  return K;
}
/// Its inverse.
NSN_FUNCTION Mat3 strain_compliance(const Lame& lame) {
  Mat3 E = (1.0 / (2.0 * lame.G)) * identity<3>();
  const double coupling = lame.Lambda / (2.0 * lame.G * (2.0 * lame.G + 3.0 * lame.Lambda));
  for (double& x : E.a) x -= coupling;
  return E;
}

/// d sym(A^T F)/dx_a at fixed A of the node with gradient g: A = R for the strain in a rotated
/// frame, A = F for Green's strain.
/// Row ii is g_i A_i^T; row ij is g_j A_i^T + g_i A_j^T; A_i column i of A.
struct StrainDirections {
  Mat3 normal, shear;
};
NSN_FUNCTION StrainDirections strain_directions(const Vec3& g, const Mat3& A) {
  StrainDirections J;
  for (int k = 0; k < 3; ++k) {
    const int i = k == 0 ? 1 : 0;  // rows yz, xz, xy
    const int j = k == 2 ? 1 : 2;
    for (int d = 0; d < 3; ++d) {
      J.normal(k, d) = g[k] * A(d, k);
      J.shear(k, d) = g[j] * A(d, i) + g[i] * A(d, j);
    }
  }
  return J;
}

}  // namespace nsn
