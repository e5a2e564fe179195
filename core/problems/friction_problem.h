/// Frictional-contact problems without any model: what other programs export.
///
/// Local:   u = W r + q,      r in the cone, orthogonal to u + mu |u_T| e_N in its dual
/// Global:  M v = H r + f,  u = H^T v + w,    W = H^T M^-1 H,  q = H^T M^-1 f + w
/// LCP:     w = M z + q,                      0 <= w orthogonal to z >= 0
///
/// r are impulses (kg m/s), u relative velocities (m/s), normal component first: (n, t1, t2) in 3D,
/// (n, t) in 2D. The cone: |r_T| <= mu r_N. Data is kept exactly as given, in its own dimension and
/// with its asymmetry: every error refers to it.
#pragma once

#include "nsn/core/base/types.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"

namespace nsn {

struct FrictionProblem {
  Index dimension = 3;  ///< 2 or 3
  Csr W;                ///< Delassus operator, (dimension * contacts)^2, 1/kg
  Vector q;             ///< free relative velocity, m/s
  Vector mu;            ///< friction coefficients, >= 0, one per contact

  Index contacts() const { return size_of(mu); }
};

/// A local problem in 3D whose W comes in blocks of 3 x 3, one per pair of contacts.
struct BlockFrictionProblem {
  BlockCsr W;  ///< contacts x contacts blocks, 1/kg
  Vector q;    ///< m/s
  Vector mu;

  Index contacts() const { return size_of(mu); }
};

struct GlobalFrictionProblem {
  Index dimension = 3;
  Csr M;      ///< ndof x ndof, nonsingular, symmetric up to rounding or not
  Csr H;      ///< ndof x (dimension * contacts)
  Vector f;   ///< ndof, impulses
  Vector w;   ///< dimension * contacts, m/s
  Vector mu;  ///< contacts

  Index contacts() const { return size_of(mu); }
  Index dofs() const { return M.rows; }
};

struct LinearComplementarityProblem {
  Csr M;
  Vector q;
};

}  // namespace nsn
