/// Preconditioned conjugate residuals (core/linear/pcr.h) as a backend: symmetric positive
/// semidefinite systems, matrix-free or not, singular ones included.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo pcr_backend();

}  // namespace nsn
