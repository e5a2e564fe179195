/// Relaxed Jacobi iteration x = x + omega D^-1 (b - S x), D = diag(S), as a backend.
///
/// With A = D^-1/2 S D^-1/2 positive semidefinite and 0 < omega < 2 / lambda_max(A) the norm
/// sqrt(r^T D^-1 r) falls at every iteration and x converges wherever b is in the range of S. Plain
/// omega = 1 diverges on contact systems as a rule. Here lambda_max comes from a power iteration
/// (products only, so matrix-free operators are welcome), enlarged by a twentieth, and
/// omega = 1.9 / lambda_max. A power iteration estimates from below: should the norm rise
/// nevertheless, omega was proved too large and is halved, so that convergence on positive definite
/// systems does not rest on the estimate. A norm that rises eight times means an indefinite S.
///
/// Rows of zero or negative diagonal take D = 1 there (precond/jacobi.h). Where b is not
/// in the range of a singular S the iteration ends with kStagnation at least squares of that norm.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo jacobi_backend();

}  // namespace nsn
