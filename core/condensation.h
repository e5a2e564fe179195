/// From (M, H, f, w) to (W, q):  W = H^T M^-1 H,  q = H^T M^-1 f + w.
#pragma once

#include "core/friction_blocks.h"
#include "core/friction_problem.h"
#include "core/mass_matrix.h"

namespace nsn {

/// H by contacts: H^T in compressed rows, `dimension` rows a contact.
Csr contact_jacobian(const GlobalFrictionProblem& problem);

/// The condensed problem in blocks. With a block diagonal M, W is assembled body by body and is as
/// sparse as the contact graph; otherwise one solve with M per row gives a full W, from which
/// rounding (1e-15 of the largest entry) is dropped. M must be ok(); a failing solve leaves
/// mass.ok() false.
FrictionBlocks condense(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass);

}  // namespace nsn
