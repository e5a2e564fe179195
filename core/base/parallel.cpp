#include "nsn/core/base/parallel.h"

#include <atomic>
#include <memory>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "nsn/core/base/runtime.h"

namespace nsn {
namespace {

std::atomic<std::thread::id> dispatching_thread{};
std::atomic<int> threads{1};  // of the dispatching thread's kernels
thread_local bool serial_scope = false;

/// Of the dispatching thread; must be gone before Kokkos is.
std::unique_ptr<Execution>& kept_execution() {
  static std::unique_ptr<Execution> kept;
  return kept;
}

bool inside_kernel() {
#if defined(_OPENMP)
  return omp_in_parallel() != 0;
#else
  return false;
#endif
}

}  // namespace

namespace detail {

void claim_dispatching_thread() {
  std::thread::id nobody{};
  if (dispatching_thread.compare_exchange_strong(nobody, std::this_thread::get_id())) {
    kept_execution() = std::make_unique<Execution>();
    threads.store(static_cast<int>(kept_execution()->concurrency()));
  }
}

void release_dispatching_thread() {
  kept_execution().reset();
  dispatching_thread.store(std::thread::id{});
}

const Execution& execution() {
  return *kept_execution();
}

bool may_dispatch() {
  return !serial_scope && dispatching_thread.load() == std::this_thread::get_id() &&
         !inside_kernel() && threads.load() > 1;
}

}  // namespace detail

SerialScope::SerialScope() : outer_(serial_scope) {
  serial_scope = true;
}

SerialScope::~SerialScope() {
  serial_scope = outer_;
}

int concurrency() {
  return detail::may_dispatch() ? threads.load() : 1;
}

}  // namespace nsn
