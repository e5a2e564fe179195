#include "nsn/core/step/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nsn/core/base/error.h"
#include "nsn/core/step/paper/make_device_step.h"

namespace nsn {

#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr bool kHasThreads = true;
#else
inline constexpr bool kHasThreads = false;
#endif

namespace {

DeviceInfo serial() {
  DeviceInfo info;
  info.name = "serial";
  info.memory = "host";
  info.make = make_device_step<SerialDevice>;
  return info;
}

DeviceInfo openmp() {
  DeviceInfo info;
  info.name = "openmp";
  info.memory = "host";
  info.host = true;
  if constexpr (kHasThreads) {
    info.make = make_device_step<ThreadsDevice>;
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
