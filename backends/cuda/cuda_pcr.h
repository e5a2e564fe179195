/// `cuda-pcr`: preconditioned conjugate residuals on a CUDA device, the twin of `pcr`.
///
/// S goes to the device as 3x3 blocks, as scalar rows, or as the factors J, H^-1, C; the whole
/// iteration runs there (pcr_engine.h). A system that falls apart into islands is solved by one
/// thread block per island, each with its own alpha, beta and end; island k is done at
/// |r_k| <= target sqrt(rows_k / rows), so that all together meet the target.
///
/// What the device refuses (memory, a lost device, no code for its architecture) is the status
/// kBackendError with the driver's words.
#pragma once

#include "nsn/backends/cuda/device.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn::cuda {

/// Description and maker of the solver on devices that `open` gives.
SolverInfo cuda_pcr(DeviceFactory open);

}  // namespace nsn::cuda
