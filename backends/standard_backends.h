/// All linear solvers and preconditioners this build knows, those left out of it included (with the
/// reason).
#pragma once

#include "core/solver_registry.h"

namespace nsn {

SolverRegistry standard_backends();

}  // namespace nsn
