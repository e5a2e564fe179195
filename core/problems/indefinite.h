/// Is W no Delassus operator? That of any bodies is positive semidefinite: z . W z is twice the energy that impulses z
/// give to bodies at rest.
///
/// In scaled variables, |W_ii| = 1, the least eigenvalue of the public problems is above -1e-6, which is the rounding of
/// their text. A vector with z . W z < -1e-4 |z|^2 is no rounding: it is the proof that is handed back. It is sought
/// among single rows, pairs of rows, and by minimising z . W z / |z|^2 by conjugate gradients; where none is
/// found nothing is claimed.
#pragma once

#include <vector>

#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/problems/friction_problem.h"

namespace nsn {

struct NegativeEnergy {
  double quotient =
      0.0;  ///< z . W z / |z|^2, scaled; negative: W is indefinite, 0: nothing was found
  std::vector<double> z;  ///< scaled, three per contact
  Index contact = -1;     ///< that moves most in z

  bool found() const { return quotient < 0.0; }
};

/// W: 3x3 blocks, pattern symmetric, scaled such that |W_ii|_2 = 1; its symmetric part counts.
NegativeEnergy find_negative_energy(const BlockCsr& W);
/// The same of a problem's W as it is given.
NegativeEnergy find_negative_energy(const FrictionProblem& problem);

}  // namespace nsn
