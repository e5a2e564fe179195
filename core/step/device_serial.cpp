// The paper's method on one thread of the host: the reference of all devices.
#include "nsn/core/step/device_step_impl.h"

namespace nsn {
template class DeviceStep<SerialDevice, double>;
template class DeviceStep<SerialDevice, float>;
}  // namespace nsn
