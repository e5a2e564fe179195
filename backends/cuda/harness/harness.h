/// Runs kernels on the host as a device would, and watches them.
///
///   Harness harness({.warp_size = 4});
///   double* x = static_cast<double*>(harness.allocate(8 * n));
///   harness.run(MyKernel{{x, n}}, {.blocks = 2, .threads = 8, .shared_doubles = 8});
///
/// Each thread of a block is a fibre; blocks run one after the other, those of a cooperative launch
/// together. Barriers, shuffles and atomics are real. A HarnessError names the kernel, the thread
/// and the element for
///   * an index outside an array, or an array outside device memory,
///   * two threads at one element, one of them writing, without a barrier between them: a race,
///     whether or not this run's order of threads shows it,
///   * a barrier or shuffle that some of its threads never reach.
/// Fresh device and shared memory holds NaN, so that what nobody wrote shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "nsn/backends/cuda/harness/fibres.h"
#include "nsn/backends/cuda/kernels.h"

namespace nsn::cuda::harness {

/// A kernel did what a device would not forgive, or would forgive silently.
class HarnessError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// In which order the threads of a block take their turns. Results must not depend on it.
enum class Order { kForward, kBackward, kShuffled };

struct HarnessOptions {
  int warp_size = 4;  ///< a power of two
  Order order = Order::kForward;
  std::size_t memory_bytes = std::size_t{256} << 20;
};

class Harness;

/// The thread a kernel sees: the twin of DeviceThread (device_thread.cuh).
class HostThread {
 public:
  HostThread(Harness& harness, int block, int thread)
      : harness_(harness), block_(block), thread_(thread) {}

  int thread() const { return thread_; }
  int threads() const;
  int block() const { return block_; }
  int blocks() const;
  int warp_size() const;

  void sync_block();
  void sync_grid();
  /// other = v of the thread whose index within the group of `lanes` differs by the bits of offset.
  template <int K>
  void shuffle_xor(const double (&v)[K], double (&other)[K], int offset, int lanes) {
    shuffle(v, other, K, offset, lanes);
  }
  /// Shared memory of this block.
  Array<double> shared() const;
  /// a[i] += v, returns the old value.
  int atomic_add(const Array<int>& a, int i, int v);

 private:
  void shuffle(const double* v, double* other, int count, int offset, int lanes);

  Harness& harness_;
  int block_;
  int thread_;
};

class Harness {
 public:
  explicit Harness(HarnessOptions options = {});
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  /// Device memory, filled with NaN. Null where there is no more.
  void* allocate(std::size_t bytes);
  /// Throws HarnessError for memory that is not allocated.
  void release(void* memory);
  /// True for [memory, memory + bytes) within one allocation.
  bool owns(const void* memory, std::size_t bytes) const;
  const HarnessOptions& options() const { return options_; }

  template <class Kernel>
  void run(const Kernel& kernel, const Shape& shape) {
    run_threads(shape, typeid(Kernel).name(), [&](HostThread& thread) { kernel(thread); });
  }

  // For HostThread and Array.
  void access(const void* at, int i, bool write, bool atomic);
  const Shape& shape() const { return shape_; }
  std::string where() const;

 private:
  friend class HostThread;
  struct Mark;
  struct Shadow;
  struct BlockState;

  void run_threads(const Shape& shape, const char* mangled_name,
                   const std::function<void(HostThread&)>& body);
  void run_blocks(int first, int count, const std::function<void(HostThread&)>& body);
  void begin_block(int block);
  std::vector<int> turn_order(int n) const;
  bool ordered(const Mark& earlier, const Mark& now) const;
  Mark mark_of_current(bool atomic) const;
  [[noreturn]] void report_race(const Mark& earlier, const char* did, const char* does, int i,
                                const Mark& now) const;

  HarnessOptions options_;
  char* memory_ = nullptr;
  Shadow* shadow_ = nullptr;  // one per 4 bytes
  std::size_t used_ = 0;
  std::map<std::size_t, std::size_t> allocated_;  // offset -> bytes
  std::multimap<std::size_t, std::size_t> free_;  // bytes -> offset

  Fibres fibres_;
  Shape shape_;
  std::string kernel_name_;
  int first_block_ = 0;
  std::vector<std::unique_ptr<BlockState>> block_;
  Barrier grid_barrier_;
  std::uint32_t period_ = 1;  // of this launch; grid barriers count on from it
};

}  // namespace nsn::cuda::harness
