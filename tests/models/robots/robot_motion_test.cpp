// Trajectories and inverse kinematics.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/robots/inverse_kinematics.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/robots/trajectory.h"

namespace nsn {
namespace {

TEST(Trajectory, RestsAtItsKnotsAndPassesThem) {
  Trajectory path;
  path.add(1.0, {0.0, 2.0}).add(3.0, {1.0, -2.0}).add(4.0, {1.0, 0.0});

  for (const double time : {0.0, 1.0}) EXPECT_EQ(path.at(time).q, (std::vector<double>{0.0, 2.0}));
  EXPECT_EQ(path.at(9.0).q, (std::vector<double>{1.0, 0.0}));
  EXPECT_NEAR(path.at(2.0).q[0], 0.5, 1e-15);
  for (const double time : {1.0, 3.0, 4.0}) EXPECT_NEAR(path.at(time).v[1], 0.0, 1e-15);
  EXPECT_NEAR(path.at(3.0).q[1], -2.0, 1e-15);
}

TEST(Trajectory, VelocityIsTheDerivative) {
  Trajectory path;
  path.add(0.0, {0.3}).add(2.0, {-1.1}).add(2.5, {0.4});
  constexpr double kStep = 1e-5;

  for (double t = 0.1; t < 2.5; t += 0.13) {
    const double slope = (path.at(t + kStep).q[0] - path.at(t - kStep).q[0]) / (2.0 * kStep);
    // Truncation kStep^2 times a third derivative below 1e3.
    EXPECT_NEAR(path.at(t).v[0], slope, 1e-7) << t;
  }
}

TEST(Trajectory, RefusesTimesThatDoNotAscendAndOtherLengths) {
  Trajectory path;
  EXPECT_THROW(path.at(0.0), std::invalid_argument);
  path.add(1.0, {0.0});
  EXPECT_THROW(path.add(1.0, {0.0}), std::invalid_argument);
  EXPECT_THROW(path.add(2.0, {0.0, 1.0}), std::invalid_argument);
  EXPECT_THROW(path.add(2.0, {std::nan("")}), std::invalid_argument);
}

/// Seven hinges, alternating axes: an arm with an elbow to spare.
RobotDescription arm() {
  std::string text = "<mujoco><compiler angle='radian'/><worldbody>";
  const char* const axes[] = {"0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1"};
  for (int k = 0; k < 7; ++k) {
    text += "<body name='l" + std::to_string(k) + "' pos='0 0 0.2'><joint axis='" + axes[k] +
            "' range='-2.5 2.5'/><geom type='sphere' size='.05'/>";
  }
  for (int k = 0; k < 7; ++k) text += "</body>";
  return parse_robot(text + "</worldbody></mujoco>", "arm.xml");
}

TEST(InverseKinematics, FindsPosesThatForwardKinematicsMade) {
  const RobotDescription robot = arm();
  const int hand = robot.num_links() - 1;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> q;
    for (int k = 0; k < 7; ++k) q.push_back(0.9 * std::sin(3.7 * trial + 2.1 * k));
    const RigidFrame wanted = forward_kinematics(robot, q)[static_cast<std::size_t>(hand)];
    std::vector<double> start = q;
    for (int k = 0; k < 7; ++k)
      start[static_cast<std::size_t>(k)] += 0.4 * std::cos(1.3 * trial + k);

    const IkResult result =
        solve_ik(robot, start, {{hand, {}, wanted.position, true, wanted.rotation, 0.3}}, {});

    EXPECT_TRUE(result.solved) << trial << ": " << result.error;
    const RigidFrame found = forward_kinematics(robot, result.q)[static_cast<std::size_t>(hand)];
    EXPECT_LT(norm(found.position - wanted.position), 1e-8);
  }
}

TEST(InverseKinematics, StopsAtLimitsAndSaysSo) {
  const RobotDescription robot = arm();
  const int hand = robot.num_links() - 1;

  const IkResult result = solve_ik(robot, std::vector<double>(7, 0.1), {{hand, {}, {5, 0, 0}}}, {});

  EXPECT_FALSE(result.solved);
  EXPECT_GT(result.error, 3.0);  // 1.4 m of arm
  for (const double value : result.q) EXPECT_LE(std::abs(value), 2.5);
}

TEST(InverseKinematics, LeavesCoordinatesAloneThatMayNotMove) {
  const RobotDescription robot = arm();
  const int hand = robot.num_links() - 1;
  IkOptions options;
  options.moving = {1, 3};

  const IkResult result =
      solve_ik(robot, std::vector<double>(7, 0.2), {{hand, {}, {0.3, 0.1, 1.0}}}, options);

  for (const std::size_t k : {0u, 2u, 4u, 5u, 6u}) EXPECT_EQ(result.q[k], 0.2);
}

}  // namespace
}  // namespace nsn
