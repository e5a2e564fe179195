// The paper's method on one thread of the host: the reference of all devices.
#include "nsn/core/step/paper/device_step_impl.h"

namespace nsn {
template class DeviceStep<SerialDevice, double>;
template class DeviceStep<SerialDevice, float>;
template std::unique_ptr<StepMethod> make_device_step<SerialDevice>(const NewtonOptions&,
                                                                    const SolverRegistry&,
                                                                    StepMonitor&);
}  // namespace nsn
