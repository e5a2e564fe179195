// The scene humanoids: what holds for every one of them, whatever their number.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "nsn/core/step/system.h"
#include "nsn/models/rows/joint_rows.h"
#include "tests/support/robot_models.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

class Humanoids : public test::WithRobot {
 protected:
  static Simulation humanoids(int count, const std::string& preset = "accurate") {
    return test::simulate("humanoids", {{"count", std::to_string(count)}, {"file", GetParam()}},
                          test::with_preset(preset));
  }
};

INSTANTIATE_TEST_SUITE_P(Models, Humanoids,
                         testing::Values(test::kOwnHumanoid, test::kPublicHumanoid),
                         test::robot_name);

/// Bitwise the same place and motion of the first humanoid; body 0 is the ground.
void expect_same(const World& a, const World& b) {
  for (int body = 1; body <= 13; ++body) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(a.body(body).position[i], b.body(body).position[i]);
      EXPECT_EQ(a.body(body).velocity[i], b.body(body).velocity[i]);
    }
    EXPECT_EQ(a.body(body).orientation, b.body(body).orientation);
  }
}

TEST_P(Humanoids, NoneDependsOnHowManyOthersThereAre) {
  for (const std::string preset : {"accurate", "realtime"}) {
    Simulation alone = humanoids(1, preset);
    Simulation three = humanoids(3, preset);

    for (int step = 0; step < 150; ++step) {  // to the ground and on it
      alone.step();
      three.step();
    }

    ASSERT_EQ(three.report().islands, 3);
    expect_same(alone.world(), three.world());
  }
}

/// Islands share what they are assembled into unless somebody looks at them.
TEST_P(Humanoids, MoveTheSameWayWhereSomeStepsAreInspected) {
  Simulation unseen = humanoids(3, "realtime");
  Simulation seen = humanoids(3, "realtime");
  int inspected = 0;
  for (int step = 0; step < 90; ++step) {
    const auto count = [&](int, StepEquations& equations, const NewtonResult&) {
      inspected += equations.system().nodes() == 26 ? 1 : 0;
    };
    seen.inspect(step % 4 < 2 ? Simulation::Inspector(count) : nullptr);
    seen.step();
    unseen.step();
  }
  EXPECT_EQ(inspected, 3 * 46);
  expect_same(seen.world(), unseen.world());
}

TEST_P(Humanoids, JointsAndLimitsHoldWhileTheyFall) {
  Simulation simulation = humanoids(2);

  for (int step = 0; step < 240; ++step) {
    const StepReport& report = simulation.step();
    EXPECT_LT(report.error.total, 1e-6) << step;
    EXPECT_LT(report.drift.distance, 1e-6) << step;
    EXPECT_LT(report.drift.limit_excess, 1e-4) << step;
  }
  EXPECT_EQ(simulation.world().num_bodies(), 1 + 2 * 13);
  EXPECT_EQ(simulation.world().joints().num_joints(), 2 * 12);
}

TEST_P(Humanoids, RealtimeForgetsImpulsesThatBalanceOnlyEachOther) {
  Simulation simulation = humanoids(8, "realtime");
  double largest = 0.0;
  for (int step = 0; step < 240; ++step) {
    largest = std::max(largest, simulation.step().error.total);
  }
  // 160 m/s (rad/s) while limbs whirl; impulses kept from step to step grew to 3e4 in steps 159 to
  // 164.
  EXPECT_LT(largest, 1000.0);
}

TEST(HumanoidFile, MissingFileIsAnErrorThatSaysWhereItLooked) {
  try {
    make_scene("humanoids", {{"file", "nowhere/none.xml"}});
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere/none.xml"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("NSN_DATA_DIR"), std::string::npos);
  }
}

}  // namespace
}  // namespace nsn
