/// The paper's method on a device with a memory of its own: the guarded one (tests/support/guarded_space.h), or
/// OpenMPTarget in the build preset offload (./run test-offload). Without either the tests are skipped.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "nsn/core/device/space.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/paper/step_batch.h"
#include "nsn/core/step/step_method.h"

namespace nsn::test {

#if defined(KOKKOS_ENABLE_OPENMPTARGET)
inline constexpr const char* kSecondMemory = "offload";
/// clang's code for its target rounds the singular values of an element otherwise, in the last place.
inline constexpr bool kSecondRoundsAlike = false;
/// Kokkos asks for teams of 32 threads, which its runtime does not keep together on a processor.
inline constexpr bool kSecondHasTeams = false;
#else
inline constexpr const char* kSecondMemory = "guarded";
inline constexpr bool kSecondRoundsAlike = true;
inline constexpr bool kSecondHasTeams = true;
#endif
inline constexpr const char* kNoSecondMemory =
    "a device with a memory of its own needs Kokkos 4.7 with OpenMP";

bool has_second_memory();

/// A step method, and what crossed since it was made.
struct StepOn {
  std::unique_ptr<StepMethod> method;
  std::function<Traffic()> traffic;
};
StepOn step_on_second_memory(const NewtonOptions& options, const SolverRegistry& registry,
                             StepMonitor& monitor);
/// Many islands in one launch there.
void batch_on_second_memory(const NewtonOptions& options, const SolverRegistry& registry,
                            std::span<IslandStep* const> islands, bool entries);
/// The device under the name kSecondMemory.
DeviceInfo second_memory();
/// The n-th allocation from now on fails; n < 0: none. False: this device cannot.
bool fail_allocation(int n);
/// Bytes by Kokkos' own hooks, up and down.
std::pair<double, double> hooked_bytes();

}  // namespace nsn::test
