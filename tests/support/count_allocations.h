// Counts what a program asks of the heap: linking tests/support/count_allocations.cpp replaces
// operator new. Kokkos views allocate through posix_memalign and are counted by its callbacks.
#pragma once

namespace nsn::testing_support {

/// Allocations of this program so far, by any thread.
long allocations();

}  // namespace nsn::testing_support
