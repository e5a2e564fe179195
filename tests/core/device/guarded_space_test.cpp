// What the guarded device catches: five copies of a kernel, each broken on purpose.
#include "tests/support/guarded_space.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace nsn {
namespace {

#if defined(NSN_HAS_GUARDED)

using Guarded = guarded::Device;
using Device = Span<Guarded, double>;

class GuardedSpace : public testing::Test {
 protected:
  static void SetUpTestSuite() { guarded::install(); }
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  DeviceArray<Guarded, double> device = allocate_on<Guarded, double>("on the device", 8);
  Kokkos::View<double*, Memory> host{"on the host", 8};
  Queue<Guarded> queue;
};

void fill_with(Queue<Guarded>& queue, Device v, double value) {
  queue.for_each(
      "fill", size_of(v), KOKKOS_LAMBDA(const Index i) { v(i) = value; });
}

TEST_F(GuardedSpace, AKernelAndACopyThatAreRightRun) {
  fill_with(queue, device, 2.0);
  queue.copy(host, device);
  EXPECT_EQ(host(7), 2.0);
  EXPECT_EQ(queue.traffic.from_device, 64.0);
  EXPECT_EQ(queue.traffic.to_device, 0.0);
  EXPECT_EQ(queue.traffic.launches, 1);
}

TEST_F(GuardedSpace, NewMemoryIsNotANumber) {
  queue.copy(host, device);
  for (Index i = 0; i < 8; ++i) EXPECT_NE(host(i), host(i));
}

TEST_F(GuardedSpace, AHostThatReadsAViewOfTheDeviceIsStopped) {
  fill_with(queue, device, 2.0);
  EXPECT_DEATH(static_cast<void>(device(3) + 1.0), "on the device");
}

TEST_F(GuardedSpace, AHostThatReadsARawPointerIsStopped) {
  fill_with(queue, device, 2.0);
  const volatile double* const p = device.data();
  EXPECT_DEATH(static_cast<void>(p[3] + 1.0), "");
}

TEST_F(GuardedSpace, AHostThatWritesARawPointerIsStopped) {
  fill_with(queue, device, 2.0);
  volatile double* const p = device.data();
  EXPECT_DEATH(p[3] = 1.0, "");
}

TEST_F(GuardedSpace, AKernelThatReadsAViewOfTheHostIsStopped) {
  const Device to = device;
  const Kokkos::View<double*, Memory> from = host;
  EXPECT_DEATH(queue.for_each(
                   "wrong", 8, KOKKOS_LAMBDA(const Index i) { to(i) = from(i); }),
               "device kernel reads host view");
}

TEST_F(GuardedSpace, AViewOfTheHostIsNoneOfTheDevice) {
  EXPECT_FALSE((std::is_assignable_v<Device&, HostSpan<double>>));
  EXPECT_FALSE((std::is_assignable_v<HostSpan<double>&, Device>));
  EXPECT_FALSE(kHostReads<Guarded>);
}

#else

TEST(GuardedSpace, IsSkipped) {
  GTEST_SKIP() << "the guarded device needs Kokkos 4.7 with OpenMP";
}

#endif

}  // namespace
}  // namespace nsn
