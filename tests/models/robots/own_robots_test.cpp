// Robots of our own: what they are made of, and that their files use nothing that nsn leaves out.
#include "nsn/models/robots/own_robots.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/kinematics.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn {
namespace {

double mass(const RobotDescription& robot) {
  double sum = 0.0;
  for (const RobotLink& link : robot.links) sum += robot_inertial(link).mass;
  return sum;
}

TEST(OwnRobots, FilesUseOnlyWhatIsRead) {
  for (const OwnRobot& own : own_robots()) {
    SCOPED_TRACE(own.name);
    const RobotDescription robot = read_own_robot(own.name);
    EXPECT_EQ(robot.name, own.name);
    EXPECT_TRUE(robot.warnings.empty());
    for (const UnsupportedFeature& feature : robot.unsupported) {
      EXPECT_NE(feature.name.find("not enforced"), std::string::npos) << feature.name;
    }
    // No link starts or rests at a limit that its coordinate is beyond.
    for (const RobotLink& link : robot.links) {
      for (const RobotJoint& joint : link.joints) {
        if (joint.kind == RobotJointKind::kFree) continue;
        EXPECT_LT(joint.limit.lower, joint.limit.upper) << joint.name;
        EXPECT_TRUE(std::isfinite(joint.limit.lower) && std::isfinite(joint.limit.upper));
      }
    }
  }
}

TEST(OwnRobots, HumanoidIsAnAdultOfThirteenBodies) {
  const auto robot = std::make_shared<const RobotDescription>(read_own_robot("humanoid"));
  EXPECT_NEAR(mass(*robot), 72.0, 0.5);
  EXPECT_EQ(robot->num_dofs(), 6 + 21);
  EXPECT_EQ(robot->actuators.size(), 21u);
  World world;
  build_robot(world, robot, {.world_shapes = false});
  EXPECT_EQ(world.num_bodies(), 13);
  EXPECT_EQ(world.joints().num_joints(), 12);
}

TEST(OwnRobots, HandHasTwentyOneLinksAndSixteenServos) {
  const RobotDescription robot = read_own_robot("hand");
  EXPECT_NEAR(mass(robot), 1.0, 0.1);
  EXPECT_EQ(robot.num_links(), 21);
  EXPECT_EQ(robot.num_dofs(), 16);
  EXPECT_EQ(robot.actuators.size(), 16u);
}

/// The left arm is the right one in the mirror y -> -y, at equal angles.
TEST(OwnRobots, ArmsMirrorEachOther) {
  const RobotDescription robot = read_own_robot("two-arms");
  EXPECT_EQ(robot.num_dofs(), 18);
  std::vector<double> q = reference_coordinates(robot);
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = 0.1 + 0.1 * static_cast<double>(k % 9);
  const auto frames = forward_kinematics(robot, q);
  const auto place = [&](const std::string& link) {
    return frames[static_cast<std::size_t>(robot.find_link(link))].position;
  };
  for (const std::string link : {"shoulder", "upper_arm", "forearm", "wrist", "gripper"}) {
    const Vec3 right = place("right_" + link);
    const Vec3 left = place("left_" + link);
    EXPECT_LT(norm(Vec3{right[0], -right[1], right[2]} - left), 1e-9) << link;
  }
  EXPECT_GT(norm(place("right_gripper") - place("right_shoulder")), 0.1);
}

TEST(OwnRobots, UnknownNameIsRefusedWithThoseThereAre) {
  try {
    read_own_robot("horse");
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("hand, humanoid, two-arms"), std::string::npos);
  }
}

}  // namespace
}  // namespace nsn
