// A hand with a soft ball, small enough for every run: a coarse ball, a quick turn.
#include <gtest/gtest.h>

#include "nsn/models/rows/joint_rows.h"
#include "tests/support/grasp.h"
#include "tests/support/robot_models.h"

namespace nsn {
namespace {

class AllegroBall : public test::WithRobot {};

INSTANTIATE_TEST_SUITE_P(Hands, AllegroBall, testing::Values(test::kOwnHand, test::kPublicHand),
                         test::robot_name);

TEST_P(AllegroBall, HasTwentyOneBodiesAndJointsAndABallOf427Tetrahedra) {
  const World world = make_scene("allegro-ball", {{"file", GetParam()}});
  int moving = 0;
  for (const ConstBodyRef body : world.bodies()) moving += body.dynamic() ? 1 : 0;
  EXPECT_EQ(moving, 21);
  EXPECT_EQ(world.joints().num_joints(), 21);
  EXPECT_EQ(world.deformable(0).mesh.num_tets(), 427);
}

TEST_P(AllegroBall, CoarseBallIsSqueezedLiftedAndHeldUpsideDown) {
  Simulation simulation =
      test::simulate("allegro-ball", {{"file", GetParam()}, {"tets", "80"}, {"turn", "0.8"}});
  double worst = test::run(simulation, 2.4);  // closed and lifted
  const Vec3 before = test::ball_in(simulation, "palm");
  EXPECT_GT(test::height_over(simulation, "palm"), 0.03);
  EXPECT_GT(test::body_named(simulation.world(), "palm").position[2], 0.45);

  worst = std::max(worst, test::run(simulation, 3.6));

  // Upside down: the ball hangs below the palm. It moves by what its weight squeezes fingers and
  // ball: drives of 3 N m/rad at 0.1 m give 0.3 mm to each half newton, the coarse ball as much.
  EXPECT_LT(test::height_over(simulation, "palm"), -0.03);
  EXPECT_LT(norm(test::ball_in(simulation, "palm") - before), 3e-3);
  EXPECT_LT(worst, 1e-8);
}

}  // namespace
}  // namespace nsn
