// The functors of ncp/ inside a kernel give what they give on the host.
#include "tests/cuda/ncp_kernels.cuh"

#include <vector>

#include <gtest/gtest.h>

#include "nsn/backends/cuda/harness/harness.h"

namespace nsn::cuda {
namespace {

TEST(NcpKernels, EqualTheFunctorsOnTheHost) {
  const std::vector<double> a = {0.0, 1.0, -1.0, 1e-9, 3.0, -2.0, 0.25};
  const std::vector<double> b = {0.0, -1.0, -1.0, 2.0, 4.0, 1e-12, 0.5};
  harness::Harness harness;
  const auto array = [&](std::size_t n) {
    return Array<double>{static_cast<double*>(harness.allocate(8 * n)), static_cast<int>(n)};
  };
  const Array<double> da = array(a.size());
  const Array<double> db = array(b.size());
  const Array<double> out = array(6 * a.size());
  const Array<double> friction = array(2 * a.size());
  const Array<double> contact = array(10 * a.size());
  std::copy(a.begin(), a.end(), da.data);
  std::copy(b.begin(), b.end(), db.data);

  harness.run(EvaluateNcp{{da.data, da.size}, {db.data, db.size}, out, friction, contact},
              {.blocks = 2, .threads = 4});

  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto fb = ncp::FischerBurmeister{}(a[i], b[i]);
    const auto map = ncp::MinimumMap{}(a[i], b[i]);
    EXPECT_EQ(out.data[6 * i], fb.phi);
    EXPECT_EQ(out.data[6 * i + 2], fb.d_b);
    EXPECT_EQ(out.data[6 * i + 3], map.phi);
    const double v[2] = {a[i], b[i]};
    const double x[2] = {b[i], a[i]};
    EXPECT_EQ(friction.data[2 * i], (ncp::AlartCurnier{}(v, x, 0.5, 2.0).projected[0]));
    double numbers[10];
    natural_map_numbers(a[i], b[i], numbers);
    for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(contact.data[10 * i + k], numbers[k]);
  }
}

}  // namespace
}  // namespace nsn::cuda
