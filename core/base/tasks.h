/// Tasks are calls of one body that share nothing: the islands of a step.
#pragma once

#include "nsn/core/base/parallel.h"
#include "nsn/core/base/runtime.h"

namespace nsn {

/// body(i) for i = 0 ... n - 1, one at a time per thread, in no order. Not a kernel: a body may
/// allocate views, which inside a kernel of Kokkos 4 would wait for the end of that kernel. No body
/// may throw.
template <class Body>
void for_each_task(int n, const Body& body) {
#if defined(_OPENMP)
  if (n > 1 && detail::may_dispatch()) {
    const int team = concurrency();
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
    for (int i = 0; i < n; ++i) body(i);
    return;
  }
#endif
  for (int i = 0; i < n; ++i) body(i);
}

}  // namespace nsn
