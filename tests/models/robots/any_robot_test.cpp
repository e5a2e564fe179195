// The scene `robot`: any file, on its own floor or on one that is put under it.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"
#include "tests/support/temporary_folder.h"

namespace nsn {
namespace {

class AnyRobot : public testing::Test {
 protected:
  Simulation simulate(const std::string& text, Options::Assignments more = {}) {
    const auto path = folder_ / "robot.xml";
    std::ofstream(path) << text;
    more.emplace_back("file", path.string());
    return test::simulate("robot", more);
  }
  TemporaryFolder folder_;
};

constexpr const char* kBox =
    "<body name='box' pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body>";

TEST_F(AnyRobot, FallsOnAFloorThatTheFileDoesNotHave) {
  Simulation simulation =
      simulate(std::string("<mujoco><worldbody>") + kBox + "</worldbody></mujoco>");
  EXPECT_EQ(test::advance(simulation, 60), 0);
  EXPECT_NEAR(simulation.world().body(0).position[2], 0.1, 1e-9);
}

TEST_F(AnyRobot, FallsOnTheFloorOfItsFileAlone) {
  Simulation simulation =
      simulate(std::string("<mujoco><worldbody><geom type='plane' size='1 1 1' pos='0 0 -.5'/>") +
               kBox + "</worldbody></mujoco>");
  EXPECT_EQ(test::advance(simulation, 120), 0);
  EXPECT_NEAR(simulation.world().body(1).position[2], -0.4, 1e-9);
}

/// Two arms from one point, which overlap and are no neighbours of each other.
constexpr const char* kArms = R"(<mujoco><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="0 0 1"><geom type="box" size=".02 .02 .02"/>
    <body name="left"><joint name="l" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".03"/></body>
    <body name="right"><joint name="r" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 .03 0" size=".03"/></body>
  </body></worldbody><actuator><position joint="l" kp="1000" kv="50"/></actuator></mujoco>)";

TEST_F(AnyRobot, LinksThatOverlapAtTheStartDoNotTouchAndServosHoldThePose) {
  Simulation simulation = simulate(kArms);
  EXPECT_EQ(test::advance(simulation, 120), 0);
  EXPECT_EQ(simulation.report().contacts, 0);
  const std::vector<std::string>& notes = simulation.world().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("robot.xml: 'left' (line 3) and 'right' (line 4) overlap by ") !=
           std::string::npos;
  })) << notes.size();
  // m g l / k of an arm of 1.5 kg: 4 mrad. The other one hangs or swings.
  EXPECT_NEAR(simulation.joint_position(0, 0), 0.0, 0.01);
  EXPECT_GT(std::abs(simulation.joint_position(1, 0)), 0.5);
}

TEST_F(AnyRobot, MarginsOfAFloorAndABoxAddUp) {
  Simulation simulation = simulate(
      "<mujoco><worldbody><geom type='plane' size='1 1 1' margin='.01'/>"
      "<body name='box' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' "
      "margin='.02'/></body>"
      "</worldbody></mujoco>");
  test::advance(simulation, 120);  // it starts on the floor, three centimetres too deep
  EXPECT_NEAR(simulation.world().body(1).position[2], 0.13, 1e-9);
}

TEST_F(AnyRobot, DrivesHoldJointsWithoutAnActuatorWhereTheyAreAskedFor) {
  Simulation simulation = simulate(kArms, {{"stiffness", "1000"}});
  test::advance(simulation, 120);
  EXPECT_NEAR(simulation.joint_position(1, 0), 0.0, 0.01);
}

}  // namespace
}  // namespace nsn
