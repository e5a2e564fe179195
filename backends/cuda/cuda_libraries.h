/// cuSOLVER and cuDSS behind backends/cuda/cholesky.h. Compiled by the host's compiler: only
/// pointers and a stream cross.
#pragma once

#include <cuda_runtime_api.h>
#include <memory>

#include "nsn/backends/cuda/cholesky.h"

namespace nsn {

/// All calls go to `stream`, which must outlive the library. Throws std::runtime_error in the words
/// of the library that fails.
std::unique_ptr<CholeskyLibrary> open_cuda_libraries(cudaStream_t stream);

}  // namespace nsn
