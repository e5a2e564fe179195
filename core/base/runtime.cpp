#include "nsn/core/base/runtime.h"

#include <cstddef>
#include <new>

#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"

namespace nsn {

Runtime::Runtime(int threads) {
  if (!Kokkos::is_initialized()) {
#if KOKKOS_VERSION >= 30700
    Kokkos::InitializationSettings settings;
    if (threads > 0) settings.set_num_threads(threads);
    settings.set_disable_warnings(true);
    Kokkos::initialize(settings);
#else
    Kokkos::InitArguments settings;
    if (threads > 0) settings.num_threads = threads;
    settings.disable_warnings = true;
    Kokkos::initialize(settings);
#endif
    started_kokkos_ = true;
  }
  detail::claim_dispatching_thread();
}

void ensure_runtime() {
  if (Kokkos::is_initialized()) return;
  // It never ends, arrays may outlive main(); nor is it a block that nobody frees.
  alignas(Runtime) static std::byte room[sizeof(Runtime)];
  static const Runtime* const process = ::new (room) Runtime();
  static_cast<void>(process);
}

Runtime::~Runtime() {
  if (!started_kokkos_) return;
  detail::release_dispatching_thread();
  Kokkos::finalize();
}

}  // namespace nsn
