#include "tests/support/count_allocations.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <Kokkos_Core.hpp>

namespace {

std::atomic<long> count{0};

void count_kokkos(Kokkos_Profiling_SpaceHandle /*space*/, const char* /*label*/,
                  const void* /*pointer*/, std::uint64_t /*bytes*/) {
  ++count;
}

}  // namespace

namespace nsn::testing_support {

long allocations() {
  Kokkos::Tools::Experimental::set_allocate_data_callback(&count_kokkos);
  return count.load();
}

}  // namespace nsn::testing_support

void* operator new(std::size_t size) {
  ++count;
  if (void* const p = std::malloc(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
