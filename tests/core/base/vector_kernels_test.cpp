// Norms of numbers whose squares a double does not hold.
#include "nsn/core/base/vector_kernels.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/contact_problems.h"

namespace nsn {
namespace {

TEST(Norm, IsScaledWhereSquaresOverflowOrVanish) {
  for (const double size : {1e-320, 1e-200, 1e-150, 1.0, 1e150, 1e154, 1e200, 1e307}) {
    const Vector x = test::vector_of({3.0 * size, -4.0 * size});
    EXPECT_NEAR(norm2(x) / size, 5.0, size < 1e-300 ? 1e-3 : 1e-14) << size;
    const Vector zero = zero_vector(2);
    const Vector r = zero_vector(2);
    EXPECT_NEAR(residual_norm(x, zero, r) / size, 5.0, size < 1e-300 ? 1e-3 : 1e-14) << size;
    EXPECT_EQ(r(1), x(1));
  }
  EXPECT_EQ(norm2(zero_vector(3)), 0.0);
  EXPECT_EQ(norm2(zero_vector(0)), 0.0);
}

TEST(Norm, WhatIsNotANumberStays) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(norm2(test::vector_of({1.0, std::nan("")}))));
  EXPECT_EQ(norm2(test::vector_of({1.0, -inf})), inf);
}

}  // namespace
}  // namespace nsn
