/// Preconditioned conjugate residuals (core/pcr.h) as a backend: symmetric positive semidefinite
/// systems, matrix-free or not, singular ones included.
#pragma once

#include "core/solver_registry.h"

namespace nsn {

SolverInfo pcr_backend();

}  // namespace nsn
