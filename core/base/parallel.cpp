#include "nsn/core/base/parallel.h"

#include <atomic>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "nsn/core/base/runtime.h"

namespace nsn {
namespace {

std::atomic<std::thread::id> dispatching_thread{};
thread_local bool serial_scope = false;

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
  dispatching_thread.compare_exchange_strong(nobody, std::this_thread::get_id());
}

void release_dispatching_thread() {
  dispatching_thread.store(std::thread::id{});
}

bool may_dispatch() {
  return !serial_scope && dispatching_thread.load() == std::this_thread::get_id() &&
         !inside_kernel() && Execution::concurrency() > 1;
}

}  // namespace detail

SerialScope::SerialScope() : outer_(serial_scope) {
  serial_scope = true;
}

SerialScope::~SerialScope() {
  serial_scope = outer_;
}

int concurrency() {
  return detail::may_dispatch() ? static_cast<int>(Execution::concurrency()) : 1;
}

}  // namespace nsn
