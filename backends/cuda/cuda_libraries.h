/// cuSPARSE, cuSOLVER and (where the build found it) cuDSS behind the seam of libraries.h.
#pragma once

#include <cuda_runtime_api.h>
#include <memory>

#include "nsn/backends/cuda/device.h"

namespace nsn::cuda {

/// On `stream` of `device`, which outlives the result. Handles are made when first needed.
std::unique_ptr<Libraries> make_cuda_libraries(Device& device, cudaStream_t stream);

}  // namespace nsn::cuda
