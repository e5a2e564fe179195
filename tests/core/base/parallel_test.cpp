// Kernels give the same bits on one thread and on all of them, and from two threads at once.
#include "nsn/core/base/parallel.h"

#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "nsn/core/base/runtime.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/linear_operator.h"

namespace nsn {
namespace {

constexpr Index kLong = 100003;  // many chunks, the last one ragged

Vector wave(Index n, double frequency) {
  Vector v("v", static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) v(i) = std::sin(frequency * i);
  return v;
}

TEST(ForRange, CoversEveryIndexOnce) {
  for (const Index n : {0, 1, 2047, 2048, 4096, 4097, kLong}) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));

    for_range(n, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
    });

    for (const auto& count : seen) ASSERT_EQ(count.load(), 1);
  }
}

TEST(SumRange, SameBitsOnOneThreadAndOnAll) {
  const Vector x = wave(kLong, 0.37);
  const Vector y = wave(kLong, 1.91);

  const double together = dot(x, y);
  double alone = 0.0;
  {
    const SerialScope scope;
    alone = dot(x, y);
  }

  EXPECT_EQ(together, alone);
}

TEST(SumRange, SameBitsFromTwoThreadsAtOnce) {
  const Vector x = wave(kLong, 0.37);
  const Vector y = wave(kLong, 1.91);
  const double expected = dot(x, y);
  double first = 0.0;
  double second = 0.0;

  std::thread a([&] { first = dot(x, y); });
  std::thread b([&] { second = dot(x, y); });
  a.join();
  b.join();

  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

TEST(SerialScope, ConfinesToTheCallingThread) {
  const SerialScope scope;

  EXPECT_EQ(concurrency(), 1);
  std::atomic<int> calls = 0;
  for_range(kLong, [&](Index first, Index last) {
    ++calls;
    EXPECT_EQ(first, 0);
    EXPECT_EQ(last, kLong);
  });
  EXPECT_EQ(calls.load(), 1);
}

TEST(VectorKernels, MatchTheirFormulas) {
  const Vector x = wave(5, 1.0);
  const Vector y = wave(5, 2.0);
  const Vector z("z", 5);
  Kokkos::deep_copy(z, std::nan(""));

  axpby(2.0, x, 0.0, z);  // b = 0 does not read z
  EXPECT_EQ(z(3), 2.0 * x(3));
  axpby(1.0, y, 3.0, z);
  EXPECT_EQ(z(3), y(3) + 3.0 * (2.0 * x(3)));
  EXPECT_EQ(residual_norm(y, y, z), 0.0);
  EXPECT_EQ(norm_max(x), std::abs(x(2)));  // sin 2 is the largest of sin 0 ... sin 4
}

TEST(VectorKernels, NoticeWhatIsNotFinite) {
  const Vector x = wave(7, 1.0);
  EXPECT_TRUE(all_finite(x));

  x(4) = HUGE_VAL;
  EXPECT_FALSE(all_finite(x));
  x(4) = std::nan("");
  EXPECT_FALSE(all_finite(x));
  EXPECT_TRUE(std::isnan(norm_max(x)));
}

}  // namespace
}  // namespace nsn
