/// A device with a memory of its own on a machine without one: kernels run on the host's threads,
/// but its pages can neither be read nor written by the host except while a Kokkos kernel or copy
/// runs, and a new allocation is full of NaN. Nets, from the first to the last:
///
///   types   its views neither assign from nor to views of the host
///   views   v(i) on the host outside a kernel aborts with the view's label; so does a view of the
///           host inside one of its kernels
///   pages   a raw pointer that is read or written on the host outside a kernel ends the program
///   copies  Kokkos' own hooks count the bytes that cross
///
/// What it does not catch: a raw host pointer inside a kernel. It uses what Kokkos calls internal,
/// of one version: where that is not the present one NSN_HAS_GUARDED is not defined and its tests say
/// that they were skipped. Never measure time with it.
#pragma once

#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION >= 40700 && KOKKOS_VERSION < 40800 && defined(KOKKOS_ENABLE_OPENMP) && \
    defined(__linux__)
#define NSN_HAS_GUARDED

#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "nsn/core/device/space.h"

namespace nsn::guarded {

/// One range of addresses, so that one call opens or closes all of it. An address is used once.
struct Pages {
  static constexpr std::size_t kReserved = std::size_t{1} << 40U;

  char* begin = nullptr;
  std::size_t used = 0;
  int depth = 0;               // kernels and copies under way
  bool device_kernel = false;  // one of this device
  int allocations = -1;        // that still succeed; < 0: all
  double to_device = 0.0;      // bytes, by Kokkos' hooks
  double from_device = 0.0;

  void protect(int flags) const {
    if (used > 0) mprotect(begin, used, flags);
  }
  char* take(std::size_t n) {
    if (begin == nullptr) {
      void* const all =
          mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (all == MAP_FAILED) throw std::runtime_error("guarded memory: no addresses");
      begin = static_cast<char*>(all);
    }
    if (used + n > kReserved) throw std::runtime_error("guarded memory: out of addresses");
    char* const p = begin + used;
    used += n;
    mprotect(p, n, PROT_READ | PROT_WRITE);  // closed by the end of the next kernel or copy
    return p;
  }
  void open() {
    if (depth++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void close() {
    if (--depth == 0) protect(PROT_NONE);
  }
};
inline Pages& pages() {
  static Pages all;
  return all;
}

struct Opened {
  Opened() { pages().open(); }
  ~Opened() { pages().close(); }
};

class Space {
 public:
  using memory_space = Space;
  using execution_space = Kokkos::OpenMP;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;

  template <class Execution>
  void* allocate(const Execution&, const char* label, std::size_t n,
                 std::size_t logical = 0) const {
    return allocate(label, n, logical);
  }
  void* allocate(std::size_t n) const { return allocate("", n); }
  void* allocate(const char* label, std::size_t n, std::size_t = 0) const {
    if (pages().allocations == 0) {
      throw std::runtime_error(std::string("guarded memory is full: ") + label);
    }
    if (pages().allocations > 0) --pages().allocations;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t room = (n + page - 1) / page * page;
    char* const p = pages().take(room);
    std::memset(p, 0xff, n);
    return p;
  }
  void deallocate(void* p, std::size_t n) const { deallocate("", p, n); }
  void deallocate(const char*, void* p, std::size_t n, std::size_t = 0) const {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t room = (n + page - 1) / page * page;
    madvise(p, room, MADV_DONTNEED);
    if (pages().depth == 0) mprotect(p, room, PROT_NONE);
  }
  static constexpr const char* name() { return "Guarded"; }
};
using Device = Kokkos::Device<Kokkos::OpenMP, Space>;

/// Opens and closes the pages, counts the bytes. Once per program.
inline void install() {
  using namespace Kokkos::Tools::Experimental;
  const auto begin = [](const char*, std::uint32_t, std::uint64_t*) { pages().open(); };
  const auto end = [](std::uint64_t) { pages().close(); };
  set_begin_parallel_for_callback(begin);
  set_end_parallel_for_callback(end);
  set_begin_parallel_reduce_callback(begin);
  set_end_parallel_reduce_callback(end);
  set_begin_deep_copy_callback([](Kokkos::Tools::SpaceHandle to, const char*, const void*,
                                  Kokkos::Tools::SpaceHandle from, const char*, const void*,
                                  std::uint64_t n) {
    pages().open();
    const bool into = std::strcmp(to.name, "Guarded") == 0;
    const bool out_of = std::strcmp(from.name, "Guarded") == 0;
    if (into && !out_of) pages().to_device += static_cast<double>(n);
    if (out_of && !into) pages().from_device += static_cast<double>(n);
  });
  set_end_deep_copy_callback([]() { pages().close(); });
}

}  // namespace nsn::guarded

template <>
struct Kokkos::SpaceAccessibility<Kokkos::OpenMP, nsn::guarded::Space> {
  enum { assignable = false, accessible = true, deepcopy = true };
  using space = nsn::guarded::Device;
};
template <class M>
struct Kokkos::SpaceAccessibility<nsn::guarded::Device, M> {
  enum {
    assignable = std::is_same_v<M, nsn::guarded::Space>,
    accessible = assignable,
    deepcopy = true
  };
  using space = nsn::guarded::Device;
};
template <class M>
struct Kokkos::SpaceAccessibility<nsn::guarded::Space, M>
    : Kokkos::SpaceAccessibility<nsn::guarded::Device, M> {};

namespace Kokkos::Impl {
template <>
struct MemorySpaceAccess<Kokkos::HostSpace, nsn::guarded::Space> {
  enum { assignable = false, accessible = false, deepcopy = true };
};
template <>
struct MemorySpaceAccess<nsn::guarded::Space, Kokkos::HostSpace> {
  enum { assignable = false, accessible = false, deepcopy = true };
};
template <class A>
struct RuntimeCheckMemoryAccessViolation<nsn::guarded::Space, A, true> {
  RuntimeCheckMemoryAccessViolation(char const* const message) {
    if (nsn::guarded::pages().depth == 0) Kokkos::abort(message);
  }
};
#if !defined(KOKKOS_ENABLE_IMPL_VIEW_LEGACY)
inline std::string guarded_label(const SharedAllocationTracker& tracker) {
  return tracker.has_record() ? tracker.template get_label<void>() : std::string("(unmanaged)");
}
template <class A>
struct RuntimeCheckBasicViewMemoryAccessViolation<Kokkos::HostSpace, A, true> {
  RuntimeCheckBasicViewMemoryAccessViolation(const SharedAllocationTracker& tracker) {
    if (!nsn::guarded::pages().device_kernel) return;
    Kokkos::abort(("device kernel reads host view " + guarded_label(tracker)).c_str());
  }
};
template <class A>
struct RuntimeCheckBasicViewMemoryAccessViolation<nsn::guarded::Space, A, true> {
  RuntimeCheckBasicViewMemoryAccessViolation(const SharedAllocationTracker& tracker) {
    if (nsn::guarded::pages().depth > 0) return;
    Kokkos::abort(("host access to device view " + guarded_label(tracker)).c_str());
  }
};
#endif

template <class To, class From>
struct GuardedCopy {
  GuardedCopy(void* to, const void* from, std::size_t n) {
    const nsn::guarded::Opened opened;
    std::memcpy(to, from, n);
  }
  template <class E>
  GuardedCopy(const E& execution, void* to, const void* from, std::size_t n) {
    execution.fence("guarded copy");
    const nsn::guarded::Opened opened;
    std::memcpy(to, from, n);
  }
};
template <class E>
struct DeepCopy<nsn::guarded::Space, Kokkos::HostSpace, E>
    : GuardedCopy<nsn::guarded::Space, Kokkos::HostSpace> {
  using GuardedCopy<nsn::guarded::Space, Kokkos::HostSpace>::GuardedCopy;
};
template <class E>
struct DeepCopy<Kokkos::HostSpace, nsn::guarded::Space, E>
    : GuardedCopy<Kokkos::HostSpace, nsn::guarded::Space> {
  using GuardedCopy<Kokkos::HostSpace, nsn::guarded::Space>::GuardedCopy;
};
template <class E>
struct DeepCopy<nsn::guarded::Space, nsn::guarded::Space, E>
    : GuardedCopy<nsn::guarded::Space, nsn::guarded::Space> {
  using GuardedCopy<nsn::guarded::Space, nsn::guarded::Space>::GuardedCopy;
};
}  // namespace Kokkos::Impl

KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_SPECIALIZATION(nsn::guarded::Space);
#define KOKKOS_IMPL_PUBLIC_INCLUDE
#include <impl/Kokkos_SharedAlloc_timpl.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE
KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_RECORD_EXPLICIT_INSTANTIATION(nsn::guarded::Space);

namespace nsn {
template <>
struct KernelScope<guarded::Device> {
  KernelScope() { guarded::pages().device_kernel = true; }
  ~KernelScope() { guarded::pages().device_kernel = false; }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
};
}  // namespace nsn
#endif
