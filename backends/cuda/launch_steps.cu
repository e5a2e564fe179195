#include "nsn/backends/cuda/launch.cuh"

namespace nsn::cuda {

cudaError_t launch(const StepKernel& kernel, const Shape& shape, cudaStream_t stream) {
  return std::visit([&](const auto& k) { return launch_one(k, shape, stream); }, kernel);
}

cudaError_t probe_code() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, &run_kernel<Resume>);
}

}  // namespace nsn::cuda
