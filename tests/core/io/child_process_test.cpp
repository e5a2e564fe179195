#include "nsn/core/io/child_process.h"

#include <csignal>

#include <gtest/gtest.h>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

TEST(ChildProcess, HandsBackWhatWasReturned) {
  const std::string megabyte(1 << 20, 'x');

  const ChildOutcome outcome = run_in_child([&] { return megabyte; });

  EXPECT_EQ(outcome.kind, ChildOutcome::Kind::kFinished);
  EXPECT_EQ(outcome.bytes, megabyte);
}

TEST(ChildProcess, HandsBackAnInputError) {
  const ChildOutcome outcome = run_in_child([]() -> std::string { throw InputError("f: broken"); });

  EXPECT_EQ(outcome.kind, ChildOutcome::Kind::kRefused);
  EXPECT_EQ(outcome.bytes, "f: broken");
}

TEST(ChildProcess, SurvivesACrash) {
  const ChildOutcome outcome = run_in_child([]() -> std::string {
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  });

  EXPECT_EQ(outcome.kind, ChildOutcome::Kind::kDied);
  EXPECT_EQ(outcome.bytes, "signal 6");
}

TEST(ChildProcess, EndsALoopThatNeverEnds) {
  const ChildOutcome outcome = run_in_child(
      []() -> std::string {
        volatile int i = 0;
        while (i == 0) {
        }
        return "";
      },
      1);

  EXPECT_EQ(outcome.kind, ChildOutcome::Kind::kDied);
}

}  // namespace
}  // namespace nsn
