/// Preconditioned conjugate gradients (core/linear/pcg.h) as a backend: symmetric positive definite
/// systems, matrix-free or not, singular ones whose right-hand side is in the range.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo pcg_backend();

}  // namespace nsn
