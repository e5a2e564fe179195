/// The paper's method on a device (core/step/paper/device_step.h), made without its kernels being seen: each device of
/// the host is compiled once, in core/step/paper/device_*.cpp.
#pragma once

#include <memory>

#include "nsn/core/device/space.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

/// In the precision that the options ask for.
template <class D>
std::unique_ptr<StepMethod> make_device_step(const NewtonOptions& options,
                                             const SolverRegistry& registry, StepMonitor& monitor);

}  // namespace nsn
