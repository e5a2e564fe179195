#include "nsn/models/deformable/strain_rows.h"

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

}  // namespace nsn
