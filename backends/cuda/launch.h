/// Between the host compiler and nvcc: the launches of all kernels, as plain functions. The .cu
/// files behind them hold nothing else.
#pragma once

#include <cuda_runtime_api.h>

#include "nsn/backends/cuda/kernels.h"

namespace nsn::cuda {

cudaError_t launch(const SolveKernel& kernel, const Shape& shape, cudaStream_t stream);
cudaError_t launch(const StepKernel& kernel, const Shape& shape, cudaStream_t stream);

/// Blocks of such a launch that fit one multiprocessor at once.
cudaError_t blocks_per_multiprocessor(const SolveKernel& kernel, const Shape& shape, int* blocks);

/// Fails where this build has no code for the current device.
cudaError_t probe_code();

}  // namespace nsn::cuda
