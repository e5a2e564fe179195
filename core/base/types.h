/// The views and indices every layer shares.
///
/// All arrays live in host memory as one-dimensional Kokkos views; the 3x3 blocks of a matrix are
/// nine consecutive doubles, row by row. A new view is zeroed by the thread that asks for it, so
/// that any thread may allocate (islands are solved side by side).
#pragma once

#include <Kokkos_Core.hpp>

#include "nsn/core/base/index.h"

namespace nsn {

using Execution = Kokkos::DefaultHostExecutionSpace;
using Memory = Kokkos::Device<Kokkos::Serial, Kokkos::HostSpace>;

using Vector = Kokkos::View<double*, Memory>;
using ConstVector = Kokkos::View<const double*, Memory>;
using IndexVector = Kokkos::View<Index*, Memory>;
using ConstIndexVector = Kokkos::View<const Index*, Memory>;

/// Starts to load the line of the cache that p is in; p need not be valid.
inline void prefetch([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#endif
}
/// What a kernel that streams through an array will want 4 kB later: hardware prefetchers stop at
/// the end of each page and run too short ahead on a single stream.
inline void prefetch_ahead(const void* p) {
  prefetch(static_cast<const char*>(p) + 4096);
}

/// Length of a view as an Index.
template <class View>
Index size_of(const View& v) {
  return static_cast<Index>(v.extent(0));
}

}  // namespace nsn
