/// A Device over the CUDA runtime: one stream, every call checked.
#pragma once

#include <memory>
#include <string>

#include "nsn/backends/cuda/device.h"

namespace nsn::cuda {

/// Why no CUDA device can be used here, in the driver's own words; empty: there is one. Asks once
/// per process.
const std::string& why_no_device();

/// Opens device `index`. Throws DeviceError, also for a device this build has no code for.
std::unique_ptr<Device> open_cuda_device(int index);

/// The error a CUDA runtime call's status stands for: its kind, and "what: words (name)".
DeviceError cuda_error(int status, const std::string& what);

}  // namespace nsn::cuda
