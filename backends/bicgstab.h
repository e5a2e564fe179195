/// BiCGStab (core/linear/bicgstab.h) as a backend: unsymmetric systems in the memory of eight vectors,
/// where `gmres` keeps one for each direction. It may break down where `gmres` does not.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverInfo bicgstab_backend();

}  // namespace nsn
