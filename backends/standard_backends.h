/// All linear solvers and preconditioners this build knows, those left out of it included (with the
/// reason).
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

SolverRegistry standard_backends();

}  // namespace nsn
