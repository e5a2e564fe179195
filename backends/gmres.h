/// Right-preconditioned GMRES (core/linear/gmres.h) as a backend: any square system, symmetric or
/// not, matrix-free or not.
///
/// It keeps min(rows, directions) vectors, 8 * rows * directions bytes, allocated with the pattern:
/// a system of no more rows than that is never restarted.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo gmres_backend();

}  // namespace nsn
