// What overlaps at the start, and limits that are exceeded, come apart at recovery_speed: neither at once
// nor never, in both presets, and no energy comes in but what this speed implies.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/joints/joints.h"
#include "nsn/models/scenes/parts.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

class Recovery : public testing::TestWithParam<std::string> {
 protected:
  SimulationOptions options(double speed) const {
    SimulationOptions options = test::with_preset(GetParam());
    options.newton.recovery_speed = speed;
    return options;
  }
};

TEST_P(Recovery, AnOverlapLeavesAtTheStatedSpeedAndThenRests) {
  for (const double speed : {0.1, 1.0}) {
    SCOPED_TRACE(speed);
    World world;
    add_ground(world, 0.5);
    add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.4}, 0.5);
    Simulation simulation(std::move(world), options(speed), standard_backends());
    const double h = simulation.options().h;
    const int deep = static_cast<int>(0.1 / (speed * h)) - 1;  // more than a step mends
    double last = 0.1;
    for (int k = 1; k <= deep; ++k) {
      const double now = simulation.step().penetration;
      EXPECT_LE(last - now, speed * h);
      EXPECT_GE(last - now, 0.97 * speed * h);
      EXPECT_LE(simulation.world().body(1).velocity[2], speed);
      last = now;
    }
    for (int k = 0; k < 240; ++k) simulation.step();
    EXPECT_LT(simulation.report().penetration, 1e-8);
    EXPECT_LT(simulation.report().speed, 1e-6);
  }
}

TEST_P(Recovery, ASmallOverlapIsMendedInTwoSteps) {
  World world;
  add_ground(world, 0.5);
  add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.499}, 0.5);
  Simulation simulation(std::move(world), options(1.0), standard_backends());
  simulation.step();
  EXPECT_LT(simulation.report().penetration, 0.05 * 1e-3);
  simulation.step();
  EXPECT_LT(simulation.report().penetration, 1e-7);
}

TEST_P(Recovery, BoxesInOnePlaceComeApart) {
  World world;
  world.gravity = {};
  for (int k = 0; k < 20; ++k) add_box(world, {0.1, 0.1, 0.1}, 1000.0, {0, 0, 0}, 0.5);
  const double mass = world.body(0).mass;
  Simulation simulation(std::move(world), options(1.0), standard_backends());
  EXPECT_GT(simulation.step().penetration, 0.05);  // named
  double fastest = 0.0;
  for (int k = 0; k < 240; ++k) fastest = std::max(fastest, simulation.step().speed);
  EXPECT_LT(simulation.report().penetration, 1e-6);
  // Nineteen gaps that open at 1 m/s, along one line: the ends move at half of that.
  EXPECT_LT(fastest, 1.001 * 9.5);
  EXPECT_LT(simulation.report().energy, 1.001 * 0.5 * mass * 665.0);  // sum of (k - 9.5)^2
}

TEST_P(Recovery, ABoxBetweenTheFloorAndAPlateIsNotThrown) {
  World world;
  add_ground(world, 0.5);
  const int box = add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.45}, 0.5);
  const int plate = add_box(world, {2, 2, 0.2}, 2.0, {0, 0, 0.95}, 0.5);  // down to 0.85
  world.body(plate).kind = BodyKind::kKinematic;
  Simulation simulation(std::move(world), options(1.0), standard_backends());
  double fastest = 0.0;
  for (int k = 0; k < 30; ++k) fastest = std::max(fastest, simulation.step().speed);
  EXPECT_LT(fastest, 1.0);
  EXPECT_GT(simulation.report().penetration, 0.02);  // there is no room
  EXPECT_NEAR(simulation.world().body(box).position[0], 0.0, 1e-3);
}

TEST_P(Recovery, ALimitExceededByARadianComesBackAtOneRadianPerSecond) {
  World world;
  world.gravity = {};
  const int base = add_box(world, {0.1, 0.1, 0.1}, 1.0, {0, 0, 0}, 0.5);
  world.body(base).kind = BodyKind::kStatic;
  const int arm = add_box(world, {0.4, 0.1, 0.1}, 1.0, {0.5, 0, 0}, 0.5);
  Joint joint = revolute_joint(arm, base);
  joint.axes[0].limit = {1.0, 2.0};  // it is at 0
  const int j = world.add_joint(joint, {.point = {}, .axis = {0, 0, 1}});
  Simulation simulation(std::move(world), options(1.0), standard_backends());
  const double h = simulation.options().h;
  double energy = 0.0;
  for (int k = 1; k <= 100; ++k) {
    energy = std::max(energy, simulation.step().energy);
    EXPECT_NEAR(simulation.joint_position(j, 0), h * k, 2.5e-3);
  }
  const double inertia = 0.5 * 0.5 + (0.4 * 0.4 + 0.1 * 0.1) / 12.0;  // of 1 kg about the hinge
  EXPECT_LT(energy, 1.01 * 0.5 * inertia);
}

INSTANTIATE_TEST_SUITE_P(Presets, Recovery, testing::Values("accurate", "realtime"));

TEST(RecoverySpeed, IsPositive) {
  for (const double speed : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    NewtonOptions options;
    options.recovery_speed = speed;
    EXPECT_THROW(validate(options), std::invalid_argument) << speed;
  }
}

TEST(RecoverySpeed, OfThePaperIsUnlimited) {
  World world;
  add_ground(world, 0.5);
  add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.4}, 0.5);
  Simulation simulation(std::move(world), test::with_preset("paper"), standard_backends());
  EXPECT_GT(simulation.step().speed, 5.0);  // 0.1 m in a step of 1/120 s, six iterations of it
}

}  // namespace
}  // namespace nsn
