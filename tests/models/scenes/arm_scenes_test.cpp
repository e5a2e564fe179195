// Arms that follow a script: a coarse tomato is weighed, a short beam inserted.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/robots/arm_script.h"
#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/scenes/mobile_manipulator.h"
#include "tests/support/grasp.h"

namespace nsn {
namespace {

TEST(ArmScript, ToolGoesStraightAndRestsAtTheEnds) {
  const auto robot = std::make_shared<const RobotDescription>(mobile_manipulator());
  const ArmTool tool = mobile_manipulator_tool(*robot);
  const RigidFrame start{{0.6, 0.2, 0.7}, rotation_about({0, 1, 0}, 1.5)};
  const RigidFrame end{{0.6, -0.2, 0.8}, rotation_about({0, 1, 0}, 1.5)};
  const std::vector<double> guess{0.2, 0.0, -0.3, 0.0, 1.4, 0.0, 0.5, 0.0, 0.04, 0.04};
  ArmScript script(robot, tool, reach(*robot, tool, guess, start));
  script.move(2.0, end).grip(0.5, 0.01);

  for (double t = 0.0; t < 2.0; t += 0.1) {
    const auto frames = forward_kinematics(*robot, script.at(t).q);
    const Vec3 x = frames[static_cast<std::size_t>(tool.link)].point(tool.point);
    const double s = (x[1] - 0.2) / -0.4;
    // Off the line by what a cubic of 40 mm leaves.
    EXPECT_NEAR(x[0], 0.6, 1e-4) << t;
    EXPECT_NEAR(x[2], 0.7 + 0.1 * s, 1e-4) << t;
  }
  for (const double v : script.at(2.0).v) EXPECT_EQ(v, 0.0);
  EXPECT_DOUBLE_EQ(script.end(), 2.5);
  EXPECT_EQ(script.at(9.0).q[8], 0.01);
  // Rates are those of the coordinates: a central difference of 1e-5 s leaves 1e-9.
  const auto before = script.at(0.8 - 1e-5);
  const auto after = script.at(0.8 + 1e-5);
  for (std::size_t d = 0; d < before.q.size(); ++d) {
    EXPECT_NEAR((after.q[d] - before.q[d]) / 2e-5, script.at(0.8).v[d], 1e-6) << d;
  }
}

TEST(ArmScript, OutOfReachIsAnErrorThatSaysWhere) {
  const auto robot = std::make_shared<const RobotDescription>(mobile_manipulator());
  const ArmTool tool = mobile_manipulator_tool(*robot);
  try {
    reach(*robot, tool, reference_coordinates(*robot), {{3.0, 0.0, 0.5}, {}});
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("(3.000, 0.000, 0.500)"), std::string::npos);
  }
}

TEST(ArmTomato, HasSevenJointsALiftTwoFingersAndATomatoOf319Tetrahedra) {
  const World world = make_scene("arm-tomato");
  EXPECT_EQ(world.deformable(0).mesh.num_tets(), 319);
  EXPECT_EQ(world.joints().num_joints(), 10 + 3);  // and plate, needle, rod of the scale
}

TEST(ArmTomato, CoarseTomatoIsCarriedToTheScaleAndWeighed) {
  Simulation simulation = test::simulate("arm-tomato", {{"tets", "80"}, {"carry", "1"}});
  double worst = test::run(simulation, 1.6);  // grasped and lifted
  EXPECT_GT(centre_of_mass(simulation.world(), simulation.world().deformable(0))[2], 0.69);
  worst = std::max(worst, test::run(simulation, 5.5));  // carried, put down, let go
  EXPECT_NEAR(test::scale_reading(simulation) / test::weight(simulation), 1.0, 0.01);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(simulation.report().drift.distance, 1e-6);
  EXPECT_LT(simulation.report().drift.limit_excess, 1e-4);
}

TEST(ArmBeam, BeamIsLeftInItsSocketAtABoundedCost) {
  SimulationOptions options;
  options.newton = newton_preset("realtime");
  Simulation simulation(make_scene("arm-beam"), options, standard_backends());
  int total = 0;
  for (int step = 0; step < 720; ++step) {
    const StepReport& report = simulation.step();
    // Arm and beam are two once let go; a hard step may take three times its six.
    EXPECT_LE(report.factorizations, 18 * report.islands) << step;
    total += report.factorizations;
  }
  EXPECT_LE(total, 6 * 720);
  int piece = 0;
  for (const ConstBodyRef body : simulation.world().bodies()) {
    if (body.mass != 0.003) continue;
    // All but two pieces are behind the mouth at y = -0.32, 10 mm off the bottom; errors of
    // 1e-2 m/s are left standing, and the gripper let go 1.7 s ago.
    EXPECT_NEAR(body.position[1], -0.86 + 0.04 * piece, 2e-3) << piece;
    EXPECT_NEAR(body.position[0], 0.55, 2e-3) << piece;  // half the clearance is 0.5 mm
    EXPECT_NEAR(body.position[2], 0.64, 2e-3) << piece;
    ++piece;
  }
  EXPECT_EQ(piece, 16);
  EXPECT_GT(test::body_named(simulation.world(), "wrist roll").position[2], 0.8);
}

}  // namespace
}  // namespace nsn
