#include "tests/support/guarded_step.h"

#include "nsn/core/step/device_step_impl.h"
#include "tests/support/guarded_space.h"

namespace nsn::test {
#if defined(NSN_HAS_GUARDED)

namespace {
void install_once() {
  static const bool installed = (guarded::install(), true);
  static_cast<void>(installed);
}
}  // namespace

bool has_guarded_device() {
  return true;
}
StepOn guarded_step(const NewtonOptions& options, const SolverRegistry& registry,
                    StepMonitor& monitor) {
  install_once();
  auto step = std::make_unique<DeviceStep<guarded::Device, double>>(options, registry, monitor);
  auto* const kept = step.get();
  return {std::move(step), [kept] { return kept->traffic(); }};
}
void guarded_batch(const NewtonOptions& options, const SolverRegistry& registry,
                   std::span<IslandStep* const> islands, bool entries) {
  install_once();
  StepBatch<guarded::Device, double> batch(options, registry);
  batch.solve(islands, entries);
}
DeviceInfo guarded_device() {
  DeviceInfo info;
  info.name = "guarded";
  info.memory = "guarded";
  info.batches = true;
  info.make = [](const NewtonOptions& options, const SolverRegistry& registry,
                 StepMonitor& monitor) { return guarded_step(options, registry, monitor).method; };
  return info;
}
void fail_guarded_allocation(int n) {
  guarded::pages().allocations = n;
}
std::pair<double, double> hooked_bytes() {
  return {guarded::pages().to_device, guarded::pages().from_device};
}

#else

bool has_guarded_device() {
  return false;
}
StepOn guarded_step(const NewtonOptions&, const SolverRegistry&, StepMonitor&) {
  return {};
}
void guarded_batch(const NewtonOptions&, const SolverRegistry&, std::span<IslandStep* const>,
                   bool) {}
DeviceInfo guarded_device() {
  DeviceInfo info;
  info.name = "guarded";
  info.reason = "needs Kokkos 4.7";
  return info;
}
void fail_guarded_allocation(int) {}
std::pair<double, double> hooked_bytes() {
  return {};
}

#endif
}  // namespace nsn::test
