/// Sparse LU of 3x3 block matrices, made for the Newton matrices of contact problems.
///
/// Ordering and analysis on the graph of contacts once per pattern, contacts of one pair of bodies
/// as one node; rows and columns with a diagonal entry alone (open contacts, the sliding direction of
/// slipping ones) are found at each factorisation and cost nothing; small dense fronts in
/// vectorised kernels of our own, one thread. A symmetric matrix is factorised as L L^T at half the
/// cost, and as L U where that meets a pivot that is not positive. Pivots are exchanged inside a
/// front only, with refinement where the residual misses the tolerance: not a solver for general
/// indefinite systems.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo contact_lu_backend();

}  // namespace nsn
