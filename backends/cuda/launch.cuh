/// Launches one kernel struct; included by the .cu files alone.
#pragma once

#include "nsn/backends/cuda/device_thread.cuh"
#include "nsn/backends/cuda/launch.h"

namespace nsn::cuda {

template <class Kernel>
__global__ void run_kernel(const Kernel kernel) {
  DeviceThread thread;
  kernel(thread);
}

inline std::size_t shared_bytes(const Shape& shape) {
  return sizeof(double) * static_cast<std::size_t>(shape.shared_doubles);
}

template <class Kernel>
cudaError_t launch_one(const Kernel& kernel, const Shape& shape, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(shape.blocks));
  const dim3 threads(static_cast<unsigned>(shape.threads));
  Kernel argument = kernel;
  void* arguments[] = {&argument};
  const void* const function = reinterpret_cast<const void*>(&run_kernel<Kernel>);
  return shape.cooperative
             ? cudaLaunchCooperativeKernel(function, blocks, threads, arguments,
                                           shared_bytes(shape), stream)
             : cudaLaunchKernel(function, blocks, threads, arguments, shared_bytes(shape), stream);
}

}  // namespace nsn::cuda
