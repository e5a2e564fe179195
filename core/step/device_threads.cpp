// The paper's method on the threads of the host.
#include "nsn/core/step/device_step_impl.h"

#if defined(KOKKOS_ENABLE_OPENMP)
namespace nsn {
template class DeviceStep<ThreadsDevice, double>;
template class DeviceStep<ThreadsDevice, float>;
}  // namespace nsn
#endif
