#include "nsn/backends/cuda/harness/harness.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <random>
#include <sys/mman.h>

#include <fmt/format.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#endif

namespace nsn::cuda {
namespace harness {
namespace {

constexpr std::size_t kGrain = 4;  // bytes per shadow entry: the smallest element is an int
constexpr std::size_t kAlignment = 256;
constexpr int kMany = -1;             // several threads or blocks
constexpr int kAtomic = -2;           // an atomic operation, ordered with every other one
constexpr std::size_t kShuffled = 8;  // numbers one shuffle may exchange

thread_local Harness* current_harness = nullptr;

void* reserve(std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return at;
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + 2 * kAlignment - 1) / kAlignment * kAlignment + kAlignment;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

// Who touched an element, and when: period by launches and grid barriers, epoch by block barriers.
struct Harness::Mark {
  std::uint32_t period = 0;
  std::uint32_t epoch = 0;
  int block = 0;
  int thread = 0;
};

struct Harness::Shadow {
  Mark written;
  Mark read;
};

struct Harness::BlockState {
  struct Group {
    Barrier barrier;
    std::vector<double> slots;  // two sets of kShuffled numbers per lane
  };
  Barrier barrier;
  std::map<std::pair<int, int>, Group> groups;  // by first thread and lanes
  Array<double> shared;
};

Harness::Harness(HarnessOptions options) : options_(options) {
  memory_ = static_cast<char*>(reserve(options_.memory_bytes));
  shadow_ = static_cast<Shadow*>(reserve(options_.memory_bytes / kGrain * sizeof(Shadow)));
}

Harness::~Harness() {
  ASAN_UNPOISON_MEMORY_REGION(memory_, options_.memory_bytes);
  munmap(memory_, options_.memory_bytes);
  munmap(shadow_, options_.memory_bytes / kGrain * sizeof(Shadow));
}

void* Harness::allocate(std::size_t bytes) {
  const std::size_t room = rounded(bytes);
  std::size_t offset = used_;
  const auto reuse = free_.find(room);
  if (reuse != free_.end()) {
    offset = reuse->second;
    free_.erase(reuse);
  } else {
    if (room > options_.memory_bytes - used_) return nullptr;
    used_ += room;
  }
  allocated_[offset] = bytes;
  ASAN_UNPOISON_MEMORY_REGION(memory_ + offset, bytes);
  std::memset(memory_ + offset, 0xff, bytes);
  ASAN_POISON_MEMORY_REGION(memory_ + offset + bytes, room - bytes);
  return memory_ + offset;
}

void Harness::release(void* memory) {
  const auto found =
      allocated_.find(static_cast<std::size_t>(static_cast<char*>(memory) - memory_));
  if (found == allocated_.end()) throw HarnessError("release of memory that is not allocated");
  ASAN_POISON_MEMORY_REGION(memory, found->second);
  free_.emplace(rounded(found->second), found->first);
  allocated_.erase(found);
}

bool Harness::owns(const void* memory, std::size_t bytes) const {
  const char* const at = static_cast<const char*>(memory);
  if (at < memory_ || at >= memory_ + options_.memory_bytes) return false;
  const auto offset = static_cast<std::size_t>(at - memory_);
  auto found = allocated_.upper_bound(offset);
  if (found == allocated_.begin()) return false;
  --found;
  return offset + bytes <= found->first + found->second;
}

std::vector<int> Harness::turn_order(int n) const {
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    order[static_cast<std::size_t>(i)] = options_.order == Order::kBackward ? n - 1 - i : i;
  }
  if (options_.order == Order::kShuffled) {
    std::minstd_rand random(period_);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

void Harness::begin_block(int block) {
  auto state = std::make_unique<BlockState>();
  state->barrier.expected = shape_.threads;
  const auto shared = static_cast<std::size_t>(shape_.shared_doubles);
  void* const memory = shared > 0 ? allocate(8 * shared) : nullptr;
  if (shared > 0 && memory == nullptr) throw HarnessError("no memory left for shared memory");
  state->shared = {static_cast<double*>(memory), shape_.shared_doubles};
  block_[static_cast<std::size_t>(block)] = std::move(state);
}

void Harness::run_threads(const Shape& shape, const char* mangled_name,
                          const std::function<void(HostThread&)>& body) {
  const bool whole_warps = shape.threads <= options_.warp_size
                               ? (shape.threads & (shape.threads - 1)) == 0
                               : shape.threads % options_.warp_size == 0;
  if (shape.blocks < 1 || shape.threads < 1 || !whole_warps) {
    throw HarnessError(fmt::format("a launch of {} blocks of {} threads (warps of {})",
                                   shape.blocks, shape.threads, options_.warp_size));
  }
  shape_ = shape;
  kernel_name_ = demangled(mangled_name);
  block_.resize(static_cast<std::size_t>(shape.blocks));
  grid_barrier_ = {shape.cooperative ? shape.blocks * shape.threads : 0, 0, 0};
  // Whatever happens, the launch ends: its shared memory goes and a new period begins.
  const std::shared_ptr<void> end(nullptr, [this](void*) {
    for (const auto& state : block_) {
      if (state && state->shared.data != nullptr) release(state->shared.data);
    }
    block_.clear();
    period_ += static_cast<std::uint32_t>(grid_barrier_.generation) + 1;
  });
  for (int b = 0; b < shape.blocks; ++b) begin_block(b);
  if (shape.cooperative) {
    run_blocks(0, shape.blocks, body);
  } else {
    for (int b = 0; b < shape.blocks; ++b) run_blocks(b, 1, body);
  }
}

void Harness::run_blocks(int first, int count, const std::function<void(HostThread&)>& body) {
  first_block_ = first;
  Harness* const outer = current_harness;
  current_harness = this;
  bool finished = false;
  try {
    finished = fibres_.run(turn_order(count * shape_.threads), [&](int i) {
      HostThread thread(*this, first_block_ + i / shape_.threads, i % shape_.threads);
      body(thread);
    });
  } catch (...) {
    current_harness = outer;
    throw;
  }
  current_harness = outer;
  if (finished) return;
  throw HarnessError(fmt::format(
      "{}: {} threads wait at a barrier that the others never reach ({} threads have ended)",
      kernel_name_, fibres_.waiting(), fibres_.ended()));
}

std::string Harness::where() const {
  const int i = fibres_.current();
  return fmt::format("{}: thread {} of block {}", kernel_name_, i % shape_.threads,
                     first_block_ + i / shape_.threads);
}

Harness::Mark Harness::mark_of_current(bool atomic) const {
  const int i = fibres_.current();
  const int block = first_block_ + i / shape_.threads;
  const auto& state = *block_[static_cast<std::size_t>(block)];
  return {period_ + static_cast<std::uint32_t>(grid_barrier_.generation),
          static_cast<std::uint32_t>(state.barrier.generation), atomic ? kAtomic : block,
          atomic ? kAtomic : i % shape_.threads};
}

// Is there a barrier between the two, or are they one thread's?
bool Harness::ordered(const Mark& earlier, const Mark& now) const {
  if (earlier.period != now.period) return true;
  if (earlier.block != now.block) return false;
  if (earlier.block == kAtomic) return true;
  return earlier.epoch != now.epoch || earlier.thread == now.thread;
}

void Harness::report_race(const Mark& earlier, const char* did, const char* does, int i,
                          const Mark& now) const {
  const auto who = [](const Mark& mark) {
    if (mark.block == kAtomic) return std::string("an atomic operation");
    if (mark.block == kMany) return std::string("several blocks");
    if (mark.thread == kMany) return fmt::format("several threads of block {}", mark.block);
    return fmt::format("thread {} of block {}", mark.thread, mark.block);
  };
  throw HarnessError(fmt::format("{}: race on element {}: {} {} what {} {}, no barrier between",
                                 kernel_name_, i, who(now), does, who(earlier), did));
}

void Harness::access(const void* at, int i, bool write, bool atomic) {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(at) - memory_);
  if (offset >= options_.memory_bytes) {
    throw HarnessError(fmt::format("{} touches memory that is not the device's", where()));
  }
  Shadow& shadow = shadow_[offset / kGrain];
  const Mark now = mark_of_current(atomic);
  if (!ordered(shadow.written, now)) {
    report_race(shadow.written, "wrote", write ? "writes" : "reads", i, now);
  }
  if (write) {
    if (!ordered(shadow.read, now)) report_race(shadow.read, "read", "writes", i, now);
    shadow.written = now;
    return;
  }
  Mark& read = shadow.read;
  if (read.period == now.period && read.block != now.block) {
    read.block = kMany;
  } else if (read.period == now.period && read.epoch == now.epoch && read.thread != now.thread) {
    read.thread = kMany;
  } else {
    read = now;
  }
}

int HostThread::threads() const {
  return harness_.shape_.threads;
}
int HostThread::blocks() const {
  return harness_.shape_.blocks;
}
int HostThread::warp_size() const {
  return harness_.options_.warp_size;
}

Array<double> HostThread::shared() const {
  return harness_.block_[static_cast<std::size_t>(block_)]->shared;
}

void HostThread::sync_block() {
  harness_.fibres_.arrive_and_wait(harness_.block_[static_cast<std::size_t>(block_)]->barrier);
}

void HostThread::sync_grid() {
  if (!harness_.shape_.cooperative) {
    throw HarnessError(fmt::format("{}: grid barrier in an ordinary launch", harness_.where()));
  }
  harness_.fibres_.arrive_and_wait(harness_.grid_barrier_);
}

void HostThread::shuffle(const double* v, double* other, int count, int offset, int lanes) {
  const int lane = thread_ % lanes;
  if (lanes > harness_.options_.warp_size || offset >= lanes ||
      static_cast<std::size_t>(count) > kShuffled) {
    throw HarnessError(fmt::format("{}: shuffle of {} numbers by {} among {} lanes",
                                   harness_.where(), count, offset, lanes));
  }
  auto& groups = harness_.block_[static_cast<std::size_t>(block_)]->groups;
  Harness::BlockState::Group& group = groups[{thread_ - lane, lanes}];
  if (group.slots.empty()) {
    group.barrier.expected = lanes;
    group.slots.resize(2 * kShuffled * static_cast<std::size_t>(lanes));
  }
  // Two sets in turn: nobody can write the first again before all have read it and met again.
  const std::size_t set = (group.barrier.generation % 2) * static_cast<std::size_t>(lanes);
  const auto slot = [&](int l) {
    return group.slots.data() + kShuffled * (set + static_cast<std::size_t>(l));
  };
  std::copy_n(v, count, slot(lane));
  harness_.fibres_.arrive_and_wait(group.barrier);
  std::copy_n(slot(lane ^ offset), count, other);
}

int HostThread::atomic_add(const Array<int>& a, int i, int v) {
  if (i < 0 || i >= a.size) {
    throw HarnessError(fmt::format("{}: atomic at {} of {}", harness_.where(), i, a.size));
  }
  harness_.access(a.data + i, i, true, true);
  const int old = a.data[i];
  a.data[i] = old + v;
  return old;
}

namespace {

void check_access(const void* base, std::size_t element_size, int i, int n, bool write) {
  Harness* const harness = current_harness;
  if (i < 0 || i >= n) {
    throw HarnessError(fmt::format("{} {} element {} of {}",
                                   harness != nullptr ? harness->where() : "host code",
                                   write ? "writes" : "reads", i, n));
  }
  if (harness == nullptr) return;
  harness->access(static_cast<const char*>(base) + element_size * static_cast<std::size_t>(i), i,
                  write, false);
}

}  // namespace
}  // namespace harness

void on_kernel_read(const void* base, std::size_t element_size, int i, int n) {
  harness::check_access(base, element_size, i, n, false);
}

void on_kernel_write(const void* base, std::size_t element_size, int i, int n) {
  harness::check_access(base, element_size, i, n, true);
}

}  // namespace nsn::cuda
