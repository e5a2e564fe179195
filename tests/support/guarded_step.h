/// The paper's method on the guarded device (tests/support/guarded_space.h), where there is one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "nsn/core/device/space.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_batch.h"
#include "nsn/core/step/step_method.h"

namespace nsn::test {

bool has_guarded_device();

/// A step method, and what crossed since it was made.
struct StepOn {
  std::unique_ptr<StepMethod> method;
  std::function<Traffic()> traffic;
};
StepOn guarded_step(const NewtonOptions& options, const SolverRegistry& registry,
                    StepMonitor& monitor);
/// Many islands in one launch there.
void guarded_batch(const NewtonOptions& options, const SolverRegistry& registry,
                   std::span<IslandStep* const> islands, bool entries);
/// The guarded device under the name "guarded".
DeviceInfo guarded_device();
/// The n-th allocation from now on fails; n < 0: none.
void fail_guarded_allocation(int n);
/// Bytes by Kokkos' own hooks, up and down.
std::pair<double, double> hooked_bytes();

}  // namespace nsn::test
