/// The solvers `cuda-pcr` and `cuda-direct` and the device `cuda` as this build and this machine have
/// them: left out of the build, built but without a device (with the driver's words), or ready.
#pragma once

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

void add_cuda_backends(SolverRegistry& registry);

}  // namespace nsn
