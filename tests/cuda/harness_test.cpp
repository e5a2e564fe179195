// The harness itself: it runs kernels as a device would, and it catches the two mistakes that a
// device forgives silently.
#include "nsn/backends/cuda/harness/harness.h"

#include <numeric>

#include <gtest/gtest.h>

namespace nsn::cuda::harness {
namespace {

constexpr Order kOrders[] = {Order::kForward, Order::kBackward, Order::kShuffled};

template <class T>
Array<T> device_array(Harness& harness, const std::vector<T>& values) {
  T* const data = static_cast<T*>(harness.allocate(values.size() * sizeof(T)));
  std::copy(values.begin(), values.end(), data);
  return {data, static_cast<int>(values.size())};
}

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// out[block] = sum of in[i] over the block's share, by sum_over_block as the solvers use it.
struct SumKernel {
  Array<double> in;
  Array<double> out;

  template <class Thread>
  void operator()(Thread& thread) const {
    double sum[1] = {0.0};
    const int size = thread.blocks() * thread.threads();
    for (int i = thread.block() * thread.threads() + thread.thread(); i < in.size; i += size) {
      sum[0] += in[i];
    }
    sum_over_block(thread, sum);
    if (thread.thread() == 0) out.set(thread.block(), sum[0]);
  }
};

// A copy of the reduction over a block with chosen mistakes.
enum class Mistake { kNone, kNoBarrierBeforeReading, kNoBarrierAfterReading, kIndexTooLarge };

struct CopiedSumKernel {
  Array<double> in;
  Array<double> out;
  Mistake mistake = Mistake::kNone;

  template <class Thread>
  void operator()(Thread& thread) const {
    const Array<double> scratch = thread.shared();
    for (int round = 0; round < 2; ++round) {
      const int at = thread.thread() + (mistake == Mistake::kIndexTooLarge ? 1 : 0);
      scratch.set(thread.thread(), in[at]);
      if (mistake != Mistake::kNoBarrierBeforeReading) thread.sync_block();
      double sum = 0.0;
      for (int i = 0; i < thread.threads(); ++i) sum += scratch[i];
      if (mistake != Mistake::kNoBarrierAfterReading) thread.sync_block();
      if (thread.thread() == 0) out.set(0, sum);
    }
  }
};

std::string error_of(Mistake mistake, Order order) {
  Harness harness({.warp_size = 4, .order = order});
  const CopiedSumKernel kernel{device_array(harness, one_to(8)),
                               device_array(harness, std::vector<double>(1)), mistake};
  try {
    harness.run(kernel, {.blocks = 1, .threads = 8, .shared_doubles = 8});
  } catch (const HarnessError& error) {
    return error.what();
  }
  return "";
}

TEST(Harness, SumsOverBlocksOfAnySizeInAnyOrderOfTurns) {
  for (const Order order : kOrders) {
    for (const int threads : {1, 2, 4, 8, 12, 32}) {
      for (const int n : {0, 1, 5, 31, 33, 100}) {
        Harness harness({.warp_size = 4, .order = order});
        const Array<double> out = device_array(harness, std::vector<double>(3));

        harness.run(SumKernel{device_array(harness, one_to(n)), out},
                    {.blocks = 3, .threads = threads, .shared_doubles = 32});

        // whole numbers: exact in any order
        EXPECT_EQ(out.data[0] + out.data[1] + out.data[2], n * (n + 1) / 2.0);
      }
    }
  }
}

TEST(Harness, CatchesAMissingBarrierWhateverTheOrderOfTurns) {
  for (const Order order : kOrders) {
    EXPECT_EQ(error_of(Mistake::kNone, order), "");
    EXPECT_NE(error_of(Mistake::kNoBarrierBeforeReading, order).find("race on element"),
              std::string::npos);
    EXPECT_NE(error_of(Mistake::kNoBarrierAfterReading, order).find("race on element"),
              std::string::npos);
  }
}

TEST(Harness, CatchesAnIndexOutOfBoundsAndNamesTheThread) {
  const std::string text = error_of(Mistake::kIndexTooLarge, Order::kForward);

  EXPECT_NE(text.find("CopiedSumKernel"), std::string::npos) << text;
  EXPECT_NE(text.find("thread 7 of block 0 reads element 8 of 8"), std::string::npos) << text;
}

struct DivergentBarrier {
  template <class Thread>
  void operator()(Thread& thread) const {
    if (thread.thread() != 2) thread.sync_block();
  }
};

TEST(Harness, CatchesABarrierThatNotAllThreadsReach) {
  Harness harness;

  EXPECT_THROW(harness.run(DivergentBarrier{}, {.blocks = 1, .threads = 4}), HarnessError);
}

struct HostPointer {
  Array<double> x;

  template <class Thread>
  void operator()(Thread&) const {
    x.set(0, 1.0);
  }
};

TEST(Harness, CatchesHostMemoryInAKernel) {
  Harness harness;
  double on_the_host = 0.0;

  EXPECT_THROW(harness.run(HostPointer{{&on_the_host, 1}}, {}), HarnessError);
}

// Neighbouring blocks write the same element.
struct BlocksCollide {
  Array<double> x;

  template <class Thread>
  void operator()(Thread& thread) const {
    if (thread.thread() == 0) x.set(thread.block() / 2, 1.0);
  }
};

TEST(Harness, CatchesARaceBetweenBlocks) {
  Harness harness;
  const Array<double> x = device_array(harness, std::vector<double>(4));

  EXPECT_THROW(harness.run(BlocksCollide{x}, {.blocks = 4, .threads = 2}), HarnessError);
}

// Each thread reads what its mirror image wrote, across the grid barrier.
struct MirrorKernel {
  Array<double> x;
  Array<double> y;
  bool barrier = true;

  template <class Thread>
  void operator()(Thread& thread) const {
    const int size = thread.blocks() * thread.threads();
    const int rank = thread.block() * thread.threads() + thread.thread();
    for (int round = 0; round < 3; ++round) {
      x.set(rank, rank + 100.0 * round);
      if (barrier) thread.sync_grid();
      y.set(rank, x[size - 1 - rank]);
      thread.sync_grid();
    }
  }
};

TEST(Harness, GridBarriersOrderBlocksAndTheirAbsenceIsCaught) {
  Harness harness;
  const Shape shape{.blocks = 3, .threads = 4, .cooperative = true};
  const Array<double> x = device_array(harness, std::vector<double>(12));
  const Array<double> y = device_array(harness, std::vector<double>(12));

  harness.run(MirrorKernel{x, y, true}, shape);

  for (int i = 0; i < 12; ++i) EXPECT_EQ(y.data[i], 211.0 - i);
  EXPECT_THROW(harness.run(MirrorKernel{x, y, false}, shape), HarnessError);
  EXPECT_THROW(harness.run(MirrorKernel{x, y, true}, {.blocks = 3, .threads = 4}), HarnessError);
}

struct CountKernel {
  Array<int> count;

  template <class Thread>
  void operator()(Thread& thread) const {
    thread.atomic_add(count, 0, thread.thread() + 1);
  }
};

TEST(Harness, AtomicsAddUpAcrossBlocks) {
  Harness harness;
  const Array<int> count = device_array(harness, std::vector<int>{0});

  harness.run(CountKernel{count}, {.blocks = 5, .threads = 4});

  EXPECT_EQ(count.data[0], 50);
}

struct ReadsItsOwnScratch {
  Array<double> out;

  template <class Thread>
  void operator()(Thread& thread) const {
    out.set(0, thread.shared()[0]);
  }
};

TEST(Harness, MemoryThatNobodyWroteHoldsNan) {
  Harness harness;
  const Array<double> out = device_array(harness, std::vector<double>(1));

  harness.run(ReadsItsOwnScratch{out}, {.blocks = 1, .threads = 1, .shared_doubles = 1});

  EXPECT_TRUE(std::isnan(out.data[0]));
}

}  // namespace
}  // namespace nsn::cuda::harness
