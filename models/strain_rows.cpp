#include "models/strain_rows.h"

namespace nsn {

Mat3 strain_stiffness(const Lame& lame) {
  Mat3 K = 2.0 * lame.mu * identity<3>();
  for (double& x : K.a) x += lame.lambda;
  return K;
}

Mat3 strain_compliance(const Lame& lame) {
  Mat3 E = (1.0 / (2.0 * lame.mu)) * identity<3>();
  const double coupling = lame.lambda / (2.0 * lame.mu * (2.0 * lame.mu + 3.0 * lame.lambda));
  for (double& x : E.a) x -= coupling;
  return E;
}

// Row ii of node a is g_i A_i^T; row ij is g_j A_i^T + g_i A_j^T; A_i column i of A.
void strain_jacobian(std::span<const Vec3, 4> gradient, const Mat3& A, double* normal,
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
