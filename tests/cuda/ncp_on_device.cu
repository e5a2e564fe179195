// Compiles the shared functors for the device: NSN_FUNCTION makes them callable there.
#include "nsn/backends/cuda/device_thread.cuh"
#include "tests/cuda/ncp_kernels.cuh"

namespace nsn::cuda {

__global__ void evaluate_ncp(const EvaluateNcp kernel) {
  DeviceThread thread;
  kernel(thread);
}

}  // namespace nsn::cuda
