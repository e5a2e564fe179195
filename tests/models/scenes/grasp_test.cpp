// Mechanisms that hold soft bodies, small enough for every run: coarse balls, short carries.
#include "tests/support/grasp.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nsn/models/rows/joint_rows.h"

namespace nsn {
namespace {

TEST(SoftGrasp, CoarseBallIsCarriedOntoTheScaleAndWeighed) {
  Simulation simulation = test::simulate("soft-grasp", {{"tets", "80"}, {"carry", "0.5"}});
  test::run(simulation, 1.3);
  const double before = test::height_over(simulation, "finger");
  test::run(simulation, 1.6);
  // Without slip; the ball swings a little in soft fingers when they start and stop.
  EXPECT_NEAR(test::height_over(simulation, "finger"), before, 5e-4);
  test::run(simulation, 4.0);
  EXPECT_NEAR(test::scale_reading(simulation) / test::weight(simulation), 1.0, 0.01);
}

TEST(HandBall, HasTwentyOneBodiesAndJoints) {
  const World world = make_scene("hand-ball");
  int moving = 0;
  for (const ConstBodyRef body : world.bodies()) moving += body.dynamic() ? 1 : 0;
  EXPECT_EQ(moving, 21);
  EXPECT_EQ(world.joints().num_joints(), 21);
  EXPECT_EQ(world.deformable(0).mesh.num_tets(), 427);
}

TEST(HandBall, CoarseBallStaysInTheHandWhenItTurnsOver) {
  Simulation simulation = test::simulate("hand-ball", {{"tets", "80"}, {"turn", "0.6"}});
  test::run(simulation, 0.75);
  const Vec3 before = test::ball_in(simulation, "palm");
  test::run(simulation, 1.6);
  EXPECT_LT(norm(test::ball_in(simulation, "palm") - before), 0.003);
  // Upside down: the palm is above the ball.
  EXPECT_LT(test::height_over(simulation, "palm"), -0.03);
}

}  // namespace
}  // namespace nsn
