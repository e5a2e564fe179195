/// The devices of the library by name: where the paper's method can run.
///
/// | name   | execution        | memory   |                                                      |
/// |--------|------------------|----------|------------------------------------------------------|
/// | serial | one thread       | host's   | the reference                                        |
/// | openmp | the host's threads | host's | the same bits; what accurate and realtime run on     |
///
/// A registry may bring more (SolverRegistry::add): that of the standard backends has `cuda`, a GPU
/// with a memory of its own, usable where Kokkos was built with CUDA (./run build-cuda).
#pragma once

#include <string_view>
#include <vector>

#include "nsn/core/linear/solver_registry.h"

namespace nsn {

/// Those of the library, then the registry's own.
std::vector<DeviceInfo> all_devices(const SolverRegistry& registry);
/// Throws std::invalid_argument for an unknown or unavailable device, with the list of what there
/// is.
DeviceInfo find_device(std::string_view name, const SolverRegistry& registry);

}  // namespace nsn
