#include "tests/support/second_memory.h"

#include "nsn/core/step/paper/device_step_impl.h"
#include "tests/support/guarded_space.h"

namespace nsn::test {

#if defined(NSN_HAS_GUARDED)
namespace {
using Device = guarded::Device;
void install_hooks() {
  guarded::install();
}
}  // namespace
bool fail_allocation(int n) {
  guarded::pages().allocations = n;
  return true;
}
std::pair<double, double> hooked_bytes() {
  return {guarded::pages().to_device, guarded::pages().from_device};
}
#elif defined(KOKKOS_ENABLE_OPENMPTARGET)
namespace {
using Device =
    Kokkos::Device<Kokkos::Experimental::OpenMPTarget, Kokkos::Experimental::OpenMPTargetSpace>;
std::pair<double, double> bytes;

void count(Kokkos::Tools::SpaceHandle to, Kokkos::Tools::SpaceHandle from, std::uint64_t size) {
  const bool to_host = std::string_view(to.name) == "Host";
  const bool from_host = std::string_view(from.name) == "Host";
  if (to_host != from_host) (to_host ? bytes.second : bytes.first) += static_cast<double>(size);
}
void install_hooks() {
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(
      [](Kokkos::Tools::SpaceHandle to, const char*, const void*, Kokkos::Tools::SpaceHandle from,
         const char*, const void*, std::uint64_t size) { count(to, from, size); });
}
}  // namespace
bool fail_allocation(int) {
  return false;
}
std::pair<double, double> hooked_bytes() {
  return bytes;
}
#endif

#if defined(NSN_HAS_GUARDED) || defined(KOKKOS_ENABLE_OPENMPTARGET)
namespace {
void install_once() {
  static const bool installed = (install_hooks(), true);
  static_cast<void>(installed);
}
}  // namespace

bool has_second_memory() {
  return true;
}
StepOn step_on_second_memory(const NewtonOptions& options, const SolverRegistry& registry,
                             StepMonitor& monitor) {
  install_once();
  auto step = std::make_unique<DeviceStep<Device, double>>(options, registry, monitor);
  auto* const kept = step.get();
  return {std::move(step), [kept] { return kept->traffic(); }};
}
void batch_on_second_memory(const NewtonOptions& options, const SolverRegistry& registry,
                            std::span<IslandStep* const> islands, bool entries) {
  install_once();
  StepBatch<Device, double> batch(options, registry);
  batch.solve(islands, entries);
}
DeviceInfo second_memory() {
  DeviceInfo info;
  info.name = kSecondMemory;
  info.memory = kSecondMemory;
  info.batches = true;
  info.make = [](const NewtonOptions& options, const SolverRegistry& registry,
                 StepMonitor& monitor) {
    return step_on_second_memory(options, registry, monitor).method;
  };
  return info;
}
#else
bool has_second_memory() {
  return false;
}
StepOn step_on_second_memory(const NewtonOptions&, const SolverRegistry&, StepMonitor&) {
  return {};
}
void batch_on_second_memory(const NewtonOptions&, const SolverRegistry&,
                            std::span<IslandStep* const>, bool) {}
DeviceInfo second_memory() {
  DeviceInfo info;
  info.name = kSecondMemory;
  info.reason = kNoSecondMemory;
  return info;
}
bool fail_allocation(int) {
  return false;
}
std::pair<double, double> hooked_bytes() {
  return {};
}
#endif
}  // namespace nsn::test
