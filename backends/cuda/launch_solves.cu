#include "nsn/backends/cuda/launch.cuh"

namespace nsn::cuda {

cudaError_t launch(const SolveKernel& kernel, const Shape& shape, cudaStream_t stream) {
  return std::visit([&](const auto& k) { return launch_one(k, shape, stream); }, kernel);
}

cudaError_t blocks_per_multiprocessor(const SolveKernel& kernel, const Shape& shape, int* blocks) {
  return std::visit(
      [&](const auto& k) {
        using Kernel = std::decay_t<decltype(k)>;
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, &run_kernel<Kernel>,
                                                             shape.threads, shared_bytes(shape));
      },
      kernel);
}

}  // namespace nsn::cuda
