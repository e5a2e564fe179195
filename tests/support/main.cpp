// Runs a test program inside one Runtime.
#include <gtest/gtest.h>

#include "nsn/core/base/runtime.h"

namespace {

/// What CMake gives ctest as SKIP_RETURN_CODE.
constexpr int kSkipped = 77;

bool all_were_skipped() {
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  return tests.skipped_test_count() > 0 && tests.skipped_test_count() == tests.test_to_run_count();
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const nsn::Runtime runtime;
  const int result = RUN_ALL_TESTS();
  return result == 0 && all_were_skipped() ? kSkipped : result;
}
