#include "nsn/core/step/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nsn/core/base/error.h"
#include "nsn/core/step/device_step.h"

namespace nsn {

#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr bool kHasThreads = true;
extern template class DeviceStep<ThreadsDevice, double>;
extern template class DeviceStep<ThreadsDevice, float>;
#else
inline constexpr bool kHasThreads = false;
#endif
extern template class DeviceStep<SerialDevice, double>;
extern template class DeviceStep<SerialDevice, float>;

namespace {

template <class D>
std::unique_ptr<StepMethod> make_step(const NewtonOptions& options, const SolverRegistry& registry,
                                      StepMonitor& monitor) {
  if (options.paper().precision == Precision::kSingle) {
    return std::make_unique<DeviceStep<D, float>>(options, registry, monitor);
  }
  return std::make_unique<DeviceStep<D, double>>(options, registry, monitor);
}

DeviceInfo serial() {
  DeviceInfo info;
  info.name = "serial";
  info.memory = "host";
  info.make = make_step<SerialDevice>;
  return info;
}

DeviceInfo openmp() {
  DeviceInfo info;
  info.name = "openmp";
  info.memory = "host";
  info.host = true;
  if constexpr (kHasThreads) {
    info.make = make_step<ThreadsDevice>;
  } else {
    info.reason = "Kokkos was built without OpenMP";
  }
  return info;
}

}  // namespace

std::vector<DeviceInfo> all_devices(const SolverRegistry& registry) {
  std::vector<DeviceInfo> all{serial(), openmp()};
  all.insert(all.end(), registry.devices().begin(), registry.devices().end());
  return all;
}

DeviceInfo find_device(std::string_view name, const SolverRegistry& registry) {
  std::vector<std::string> available;
  for (DeviceInfo& info : all_devices(registry)) {
    if (info.name == name) {
      NSN_THROW_UNLESS(info.available(), "device '{}' cannot be used here: {}", name, info.reason);
      return std::move(info);
    }
    if (info.available()) available.push_back(info.name);
  }
  throw std::invalid_argument(
      fmt::format("unknown device '{}'; there are {}", name, fmt::join(available, ", ")));
}

}  // namespace nsn
