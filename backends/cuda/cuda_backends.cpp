#include "nsn/backends/cuda/cuda_backends.h"

#include "nsn/backends/cuda/cuda_direct.h"
#include "nsn/backends/cuda/cuda_pcr.h"

#if defined(NSN_WITH_CUDA)
#include "nsn/backends/cuda/cuda_device.h"
#endif

namespace nsn {
namespace {

#if defined(NSN_WITH_CUDA)
SolverInfo as_built(SolverInfo info) {
  info.reason = cuda::why_no_device();
  return info;
}
std::unique_ptr<cuda::Device> open() {
  return cuda::open_cuda_device(0);
}
#else
SolverInfo as_built(SolverInfo info) {
  info.built = false;
  info.reason =
      "built without CUDA: with the toolkit, cmake --preset cuda && cmake --build --preset cuda";
  return info;
}
std::unique_ptr<cuda::Device> open() {
  throw cuda::DeviceError(cuda::DeviceError::Kind::kOther, "built without CUDA");
}
#endif

}  // namespace

void add_cuda_backends(SolverRegistry& registry) {
  registry.add(as_built(cuda::cuda_pcr(open)));
  registry.add(as_built(cuda::cuda_direct(open)));
}

}  // namespace nsn
