/// `cuda-direct`: Cholesky factorisation on a CUDA device, with refinement by the true residual.
///
///   dense    each island as a dense matrix, potrf and potrs of cuSOLVER; islands of like size are
///            padded to one size and factorised as a batch
///   sparse   the whole matrix, by cuDSS if the build found it, else by cuSOLVER's sparse Cholesky
///            with the symmetric minimum degree ordering
///
/// Float storage factorises in float; refinement brings the digits back. A pivot that is not
/// positive is the status kSingularPivot with its row; what the device refuses is kBackendError
/// with the driver's words.
#pragma once

#include "nsn/backends/cuda/device.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn::cuda {

/// Description and maker of the solver on devices that `open` gives.
SolverInfo cuda_direct(DeviceFactory open);

}  // namespace nsn::cuda
