/// From (M, H, f, w) to (W, q):  W = H^T M^-1 H,  q = H^T M^-1 f + w.
#pragma once

#include "nsn/core/problems/friction_blocks.h"
#include "nsn/core/problems/friction_problem.h"
#include "nsn/core/problems/mass_matrix.h"

namespace nsn {

/// H by contacts: H^T in compressed rows, `dimension` rows per contact.
Csr contact_jacobian(const GlobalFrictionProblem& problem);

/// q = H^T M^-1 f + w, three numbers per contact (padded in 2D). False if a solve with M fails.
[[nodiscard]] bool free_velocity(const GlobalFrictionProblem& problem, const Csr& Ht,
                                 MassMatrix& mass, Vector q);

/// W_ii of every contact, 9 numbers each, without the rest of W: body by body where M is block
/// diagonal, else by one solve with M per row. In 2D the third diagonal entry is W_NN.
void delassus_diagonal(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass,
                       Vector out);

/// The pattern of W where M is block diagonal: contacts that share a body. No values.
BlockCsr condensed_pattern(const GlobalFrictionProblem& problem, const Csr& Ht,
                           const MassMatrix& mass);

/// The condensed problem in blocks. With a block diagonal M, W is assembled body by body and is as
/// sparse as the contact graph; otherwise one solve with M per row gives a full W, from which
/// rounding (1e-15 of the largest entry) is dropped. M must be ok(); a failing solve leaves
/// mass.ok() false.
FrictionBlocks condense(const GlobalFrictionProblem& problem, const Csr& Ht, MassMatrix& mass);

}  // namespace nsn
