#include "nsn/core/base/allocate.h"

#include <algorithm>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "nsn/core/base/parallel.h"

namespace nsn {

void prefer_large_pages(void* begin, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t kLargePage = std::size_t{1} << 21U;
  if (bytes < 2 * kLargePage) return;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  // A refusal costs speed, not correctness.
  static_cast<void>(
      madvise(static_cast<char*>(begin) + (first - address), last - first, MADV_HUGEPAGE));
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

Vector allocate_vector(const char* label, std::size_t n) {
  Vector v = allocate_untouched<Vector>(label, n);
  double* const p = v.data();
  for_range(size_of(v), [=](Index first, Index last) { std::fill(p + first, p + last, 0.0); });
  return v;
}

}  // namespace nsn
