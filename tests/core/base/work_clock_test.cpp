// What is predicted to fit, with a clock that goes as it is told.
#include "nsn/core/base/work_clock.h"

#include <gtest/gtest.h>

namespace nsn {
namespace {

TEST(WorkClock, PredictsFromTheSpeedOfTheSameKind) {
  double time = 0.0;
  WorkClock clock([&] { return time; });
  EXPECT_TRUE(clock.fits(Work::kFactor, 1e300)) << "no deadline";
  clock.set_deadline(10.0);
  EXPECT_TRUE(clock.fits(Work::kFactor, 1e300)) << "nothing is known yet";
  {
    const WorkClock::Unit unit(clock, Work::kSweep, 100.0);
    time += 1.0;
  }
  EXPECT_DOUBLE_EQ(clock.speed(Work::kSweep), 100.0);
  EXPECT_TRUE(clock.fits(Work::kSweep, 900.0));
  EXPECT_FALSE(clock.fits(Work::kSweep, 901.0));
  EXPECT_TRUE(clock.fits(Work::kFactor, 3600.0)) << "four times as fast, until one is measured";
  EXPECT_FALSE(clock.fits(Work::kFactor, 3601.0));
  {
    const WorkClock::Unit unit(clock, Work::kFactor, 50.0);
    time += 1.0;
  }
  EXPECT_TRUE(clock.fits(Work::kFactor, 400.0));
  EXPECT_FALSE(clock.fits(Work::kFactor, 401.0));
  EXPECT_TRUE(clock.fits(Work::kSweep, 800.0));
  time = 10.5;
  EXPECT_TRUE(clock.out_of_time());
  EXPECT_FALSE(clock.fits(Work::kSweep, 1e-9));
}

TEST(WorkClock, ASlowUnitCountsAtOnceAndAFastOneByAndBy) {
  double time = 0.0;
  WorkClock clock([&] { return time; });
  clock.set_deadline(1e9);
  const auto work = [&](double seconds) {
    const WorkClock::Unit unit(clock, Work::kForm, 100.0);
    time += seconds;
  };
  work(1.0);
  work(2.0);
  EXPECT_DOUBLE_EQ(clock.speed(Work::kForm), 50.0);
  work(1e-6);
  EXPECT_DOUBLE_EQ(clock.speed(Work::kForm), 62.5);
}

TEST(WorkClock, AWishToStopLeavesNoTimeForAnything) {
  bool stop = false;
  WorkClock clock({}, [&] { return stop; });
  EXPECT_TRUE(clock.fits(Work::kSweep, 1.0));
  stop = true;
  EXPECT_FALSE(clock.fits(Work::kSweep, 1.0));
  EXPECT_TRUE(clock.out_of_time());
}

}  // namespace
}  // namespace nsn
