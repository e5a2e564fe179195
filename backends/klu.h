/// Sparse LU factorisation by KLU (SuiteSparse): R^-1 P S^T Q = L U in block triangular form.
///
/// Takes unsymmetric and indefinite systems. New values in a known pattern are refactorised along
/// the old pivots; where those have become poor (a pivot cancels, or entries grow) the pivots are
/// chosen again, and the report's detail says so. A singular matrix is the status kSingularPivot
/// with its row.
///
/// KLU reads columns: the rows of S are handed over as the columns of S^T, and S x = b is solved
/// with the transposed factors, so nothing is rearranged.
///
/// Licence: KLU and BTF are under the LGPL 2.1 or later, AMD and COLAMD under the BSD licence with
/// three clauses.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo klu_backend();

}  // namespace nsn
