/// Sparse factorisation P S P^T = L D L^T by Eigen's SimplicialLDLT, column by column and without
/// pivoting.
///
/// D may have negative entries, so a symmetric indefinite matrix is solved where no pivot vanishes
/// on the way; since nothing is exchanged for stability that is luck and not a capability, and the
/// true residual decides. A pivot of zero is the status kSingularPivot with its row. The symbolic
/// analysis is kept while pattern_id() is unchanged.
///
/// Licence: Eigen is under the MPL 2.0, its AMD ordering (from SuiteSparse) under the BSD licence
/// with three clauses.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo eigen_ldlt_backend();

}  // namespace nsn
