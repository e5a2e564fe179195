// Grasping at full size: minutes.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/core/step/newton_options.h"
#include "tests/support/grasp.h"

namespace nsn {
namespace {

TEST(SoftGrasp, FiveSecondsOfCarryingWithoutSlipThenTheNeedleReadsTheWeight) {
  Simulation simulation = test::simulate("soft-grasp");
  test::run(simulation, 1.3);
  const double before = test::height_over(simulation, "finger");
  test::run(simulation, 6.1);
  // Slip would go on; what the soft ball gives in the fingers is less.
  EXPECT_NEAR(test::height_over(simulation, "finger"), before, 2e-4);
  test::run(simulation, 9.0);
  EXPECT_NEAR(test::scale_reading(simulation) / test::weight(simulation), 1.0, 0.01);
}

TEST(HandBall, HoldsTheBallUpsideDownForFiveSeconds) {
  Simulation simulation = test::simulate("hand-ball");
  test::run(simulation, 2.4);  // it has turned over
  const Vec3 before = test::ball_in(simulation, "palm");
  EXPECT_LT(test::height_over(simulation, "palm"), -0.03);
  test::run(simulation, 7.4);
  EXPECT_LT(norm(test::ball_in(simulation, "palm") - before), 1e-3);
}

/// Angle between the first and the last edge of a finger's layer, degrees.
double curl(const World& world, const Deformable& finger) {
  std::vector<std::pair<double, int>> edge;  // along the layer
  for (int n = 0; n < finger.num_nodes(); ++n) {
    const Vec3& x = finger.mesh.node[static_cast<std::size_t>(n)];
    if (x[1] == 0.0 && x[2] == 0.0) edge.emplace_back(x[0], finger.particle(n));
  }
  std::sort(edge.begin(), edge.end());
  const auto direction = [&](std::size_t k) {
    return world.particle(edge[k + 1].second).position - world.particle(edge[k].second).position;
  };
  const Vec3 first = direction(0);
  const Vec3 last = direction(edge.size() - 2);
  return std::atan2(norm(cross(first, last)), dot(first, last)) * 180.0 / std::numbers::pi;
}

TEST(Pneunet, CurlsThroughMoreThanSixtyDegreesAndLiftsTheBall) {
  Simulation simulation = test::simulate("pneunet");
  test::run(simulation, 1.25);  // inflated, and raised with the ball
  const World& world = simulation.world();
  for (const Deformable& finger : world.deformables()) EXPECT_GT(curl(world, finger), 60.0);
  const double lifted = test::body_named(world, "ball").position[2] - 0.04;
  EXPECT_GT(lifted, 0.05);
  test::run(simulation, 2.25);
  EXPECT_NEAR(test::body_named(world, "ball").position[2] - 0.04, lifted, 1e-3);
  EXPECT_LT(simulation.report().speed, 1e-6);  // of every node: nothing rattles in the grasp
}

/// Errors of the first 90 steps, ascending: inflated, and the ball taken.
std::vector<double> errors_of_pneunet(const std::string& preset) {
  SimulationOptions options;
  options.newton = newton_preset(preset);
  options.newton.max_iterations = 4;
  if (preset == "paper") options.newton.paper().linear_iterations = 80;
  Simulation simulation(make_scene("pneunet"), options, standard_backends());
  std::vector<double> errors;
  for (int k = 0; k < 90; ++k) errors.push_back(simulation.step().error.total);
  std::sort(errors.begin(), errors.end());
  return errors;
}

TEST(Pneunet, RealtimeLeavesSmallerErrorsThanPaperWithFourLinearisations) {
  const std::vector<double> realtime = errors_of_pneunet("realtime");
  const std::vector<double> paper = errors_of_pneunet("paper");
  for (std::size_t k = 0; k < realtime.size(); ++k) EXPECT_LT(realtime[k], 1e-3 * paper[k]);
}

}  // namespace
}  // namespace nsn
