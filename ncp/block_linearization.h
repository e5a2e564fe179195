/// The linearised law of one block of three rows.
///
/// Around an iterate x the laws of block i leave
///     d_i = d0_i + C_i z_i,      rows  R_i^T (W_A d)_i + E_i z_i = b_i,      W_A = W + A,
/// with d the change of x and z_i the block's unknowns. An eliminated unknown has a zero column in
/// C_i and R_i and a unit row: z = 0. So the Newton matrix always has the block pattern of W:
///
///     block                         unknown 0            unknown 1    unknown 2
///     open contact                  -                    -            -
///     sticking contact, C = R       e_N                  e_1          e_2
///     slipping contact along t      C: e_N + m t, R: e_N -            p (t turned by 90 degrees)
///     box row inside its bounds     e_k
///
/// ncp/natural_map.h and ncp/friction.h fill it.
#pragma once

#include <cstdint>

#include "nsn/ncp/function.h"

namespace nsn::ncp {

/// C_i, R_i and E_i of one block.
struct BlockLinearization {
  std::uint8_t active = 0;  ///< bit k set: unknown k is solved for
  bool rotated = false;     ///< slipping: unknowns 0 and 2 as in the table above
  double tx = 1.0;          ///< t = (tx, ty), the direction of the friction force
  double ty = 0.0;
  double coupling = 0.0;                ///< m, mu if the friction bound follows x_N, else 0
  double compliance[3] = {0., 0., 0.};  ///< diagonal of E, >= 0
};

/// d += C z for one block.
NSN_FUNCTION void expand(const BlockLinearization& block, const double* z, double* d) {
  if (block.rotated) {
    const double along = block.coupling * z[0];
    d[0] += z[0];
    d[1] += along * block.tx - z[2] * block.ty;
    d[2] += along * block.ty + z[2] * block.tx;
  } else {
    for (int k = 0; k < 3; ++k) d[k] += z[k];
  }
}

/// b = R^T y for one block; zero for an eliminated unknown.
NSN_FUNCTION void restrict_to(const BlockLinearization& block, const double* y, double* b) {
  const double y2 = block.rotated ? block.tx * y[2] - block.ty * y[1] : y[2];
  b[0] = (block.active & 1U) != 0 ? y[0] : 0.0;
  b[1] = (block.active & 2U) != 0 ? y[1] : 0.0;
  b[2] = (block.active & 4U) != 0 ? y2 : 0.0;
}

}  // namespace nsn::ncp
