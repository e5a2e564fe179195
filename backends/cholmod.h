/// Sparse Cholesky factorisation by CHOLMOD (SuiteSparse): P S P^T = L D L^T (simplicial) or L L^T
/// (supernodal).
///
/// The symbolic analysis (ordering, pattern of L) is kept while pattern_id() is unchanged. A matrix
/// that is not positive definite is a status: kSingularPivot where a pivot has cancelled to
/// rounding, kIndefinite where it is negative; the detail names its row of S. A singular or
/// indefinite S with regularisation > 0 is factorised as S + regularisation |diag S|, and
/// refinement steps lead back to a solution of S x = b where there is one.
///
/// Licence: CHOLMOD's modules Core, Check, Cholesky and Partition are under the LGPL 2.1 or later,
/// Supernodal, MatrixOps and Modify under the GPL 2 or later (SuiteSparse 5.12). This backend calls
/// Core and Cholesky and, where the method is not simplicial, Supernodal; a build with
/// NSN_WITH_GPL=OFF never calls the latter.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo cholmod_backend();

}  // namespace nsn
