// Robots open drawers by friction alone.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/rows/joint_rows.h"
#include "tests/support/cabinets.h"
#include "tests/support/robot_models.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

class YumiCabinet : public test::WithRobot {};

INSTANTIATE_TEST_SUITE_P(Arms, YumiCabinet, testing::Values(test::kOwnArms, test::kPublicArms),
                         test::robot_name);

TEST_P(YumiCabinet, EachHasThirtyTwoBodies) {
  const World world = make_scene("yumi-cabinet", {{"count", "3"}, {"file", GetParam()}});
  EXPECT_EQ(world.num_bodies(), 1 + 3 * 32);  // body 0 is the floor; 200 of them: 6400
  EXPECT_EQ(world.joints().num_joints(), 3 * 30);
}

TEST_P(YumiCabinet, TwoDrawersAreOpenedByFriction) {
  Simulation simulation = test::simulate("yumi-cabinet", {{"count", "2"}, {"file", GetParam()}});
  double worst = 0.0;
  for (int step = 0; step < 360; ++step) {
    const StepReport& report = simulation.step();
    worst = std::max(worst, report.error.total);
    ASSERT_LT(report.drift.distance, 1e-6) << step;
    ASSERT_LT(report.drift.limit_excess, 1e-4) << step;
  }
  EXPECT_LT(worst, 1e-6);
  for (const double opening : test::openings(simulation)) EXPECT_GT(opening, 0.15);
}

TEST_P(YumiCabinet, DrawerStaysShutWithoutFriction) {
  // The fingers grip from above and below: nothing hooks behind the bar.
  Simulation simulation = test::simulate(
      "yumi-cabinet", {{"count", "1"}, {"mu-least", "0"}, {"mu-most", "0"}, {"file", GetParam()}});
  test::advance(simulation, 330);
  for (const double opening : test::openings(simulation)) EXPECT_LT(opening, 0.01);
}

TEST(YumiCabinetFile, MissingFileIsAnErrorThatSaysWhereItLooked) {
  try {
    make_scene("yumi-cabinet", {{"file", "nowhere/none.urdf"}});
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere/none.urdf"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("NSN_DATA_DIR"), std::string::npos);
  }
}

TEST(YumiCabinetFile, RobotWithoutKnownArmsIsRefusedByItsGripper) {
  try {
    make_scene("yumi-cabinet", {{"file", "hand"}});
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("right_gripper"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace nsn
