// The paper's method on a GPU; compiled by nvcc, in a build whose Kokkos has CUDA.
#include "nsn/core/step/paper/device_step_impl.h"

#if defined(KOKKOS_ENABLE_CUDA)
namespace nsn {
using CudaDevice = Kokkos::Device<Kokkos::Cuda, Kokkos::CudaSpace>;
template class DeviceStep<CudaDevice, double>;
template class DeviceStep<CudaDevice, float>;
}  // namespace nsn
#endif
