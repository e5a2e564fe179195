/// Six strains as two blocks of rows, normal (xx, yy, zz) and engineering shear (yz, xz, xy), and
/// the stiffness between them.
#pragma once

#include <span>

#include "nsn/models/deformable/materials.h"

namespace nsn {

/// 2 mu I + lambda 1 1^T, the normal block of K_e; the shear block is mu I.
Mat3 strain_stiffness(const Lame& lame);
/// Its inverse.
Mat3 strain_compliance(const Lame& lame);

/// d sym(A^T F)/dx_a at fixed A, 9 numbers a node and block, gradients g_a: A = R for the strain in
/// a rotated frame, A = F for Green's strain.
/// Row ii of node a is g_i A_i^T; row ij is g_j A_i^T + g_i A_j^T; A_i column i of A.
inline void strain_jacobian(std::span<const Vec3, 4> gradient, const Mat3& A, double* normal,
                            double* shear) {
  for (const Vec3& g : gradient) {
    for (int k = 0; k < 3; ++k) {
      const int i = k == 0 ? 1 : 0;  // rows yz, xz, xy
      const int j = k == 2 ? 1 : 2;
      for (int d = 0; d < 3; ++d) {
        *normal++ = g[k] * A(d, k);
        *shear++ = g[j] * A(d, i) + g[i] * A(d, j);
      }
    }
  }
}

}  // namespace nsn
