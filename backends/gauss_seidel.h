/// Gauss-Seidel by 3x3 blocks, one colour after another, as a backend.
///
///   x_i = x_i + B_i (b_i - sum_j S_ij x_j),     B_i the inverse of block S_ii
///
/// Blocks of one colour do not touch each other and are solved in parallel; colours follow each
/// other, ascending in a forward sweep, and back again in a symmetric one (which counts as one
/// iteration and moves twice the bytes). The result does not depend on the number of threads.
///
/// Every sweep lowers the energy x^T S x / 2 - b^T x if S is positive semidefinite with a positive
/// diagonal, so the iteration converges wherever b is in the range of S (Ostrowski and Reich). To
/// keep that where a diagonal block is singular, B_i is then the inverse of the block's lower
/// triangle: its three rows one after another. A row without a positive diagonal entry is left as
/// it is.
///
/// The residual needs a product of its own. Sums that fall out of a sweep tell when it is due; it
/// is formed every tenth sweep otherwise, or every sweep for a monitor.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo gauss_seidel_backend();

}  // namespace nsn
