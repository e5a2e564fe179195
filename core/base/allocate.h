/// Arrays for kernels that stream through memory: zeroed in parallel, on large pages where the
/// system offers them.
///
/// With pages of 4 kB a product spends a third of its time on address translation and on hardware
/// prefetchers that stop at each page's end; pages of 2 MB, asked for before the first touch, end
/// both. Arrays below 4 MB are left alone, and so is everything outside Linux.
#pragma once

#include <cstddef>
#include <string>

#include "nsn/core/base/types.h"

namespace nsn {

/// Asks for large pages behind [begin, begin + bytes), which nobody has touched yet.
void prefer_large_pages(void* begin, std::size_t bytes);

/// n entries, untouched: the caller writes each of them.
template <class View>
View allocate_untouched(const char* label, std::size_t n) {
  View v(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), n);
  prefer_large_pages(v.data(), n * sizeof(typename View::value_type));
  return v;
}

/// n zeros.
Vector allocate_vector(const char* label, std::size_t n);

}  // namespace nsn
