// The paper's method on the threads of the host.
#include "nsn/core/step/paper/device_step_impl.h"

#if defined(KOKKOS_ENABLE_OPENMP)
namespace nsn {
template class DeviceStep<ThreadsDevice, double>;
template class DeviceStep<ThreadsDevice, float>;
template std::unique_ptr<StepMethod> make_device_step<ThreadsDevice>(const NewtonOptions&,
                                                                     const SolverRegistry&,
                                                                     StepMonitor&);
}  // namespace nsn
#endif
