// Runs a test program inside one Runtime.
#include <gtest/gtest.h>

#include "nsn/core/base/runtime.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const nsn::Runtime runtime;
  return RUN_ALL_TESTS();
}
