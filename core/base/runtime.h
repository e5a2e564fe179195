/// Starts Kokkos. A program need not: the library does it before its first array, for as long as the
/// process lives (ensure_runtime). One that wants to choose the number of threads, or Kokkos to end
/// with main(), has a Runtime:
///
///   int main() {
///     nsn::Runtime runtime;      // Kokkos::initialize unless somebody else did
///     ...
///   }                            // Kokkos::finalize if this guard started it
///
/// The thread that creates the Runtime is the one whose large kernels are spread over threads; work
/// on any other thread stays on that thread (see core/base/parallel.h).
#pragma once

namespace nsn {

class Runtime {
 public:
  /// threads <= 0: as many as OMP_NUM_THREADS or the machine says.
  explicit Runtime(int threads = 0);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

 private:
  bool started_kokkos_ = false;
};

/// Starts Kokkos for the rest of the process unless somebody has.
void ensure_runtime();

/// Threads that a large kernel uses from the calling thread (1 on every thread but the one that
/// started Kokkos, and inside a kernel).
int concurrency();

}  // namespace nsn
