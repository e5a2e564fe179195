// Mechanism scenes against closed forms: energy, precession, heavy chains, closed loops, impacts.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/collision/sphere.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::advance;
using test::simulate;

SimulationOptions with_step(double h, ForceDirections directions = ForceDirections::kEndOfStep) {
  SimulationOptions options;
  options.h = h;
  options.joint_directions = directions;
  return options;
}

/// Largest change of energy over one second.
double energy_drift(double h, ForceDirections directions) {
  Simulation simulation = simulate("double-pendulum", {}, with_step(h, directions));
  const double start = energy(simulation.world());
  double largest = 0.0;
  const auto steps = static_cast<int>(std::lround(1.0 / h));
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(simulation.step().converged());
    largest = std::max(largest, std::abs(simulation.report().energy - start));
  }
  return largest;
}

TEST(DoublePendulum, EnergyDriftsAtTheOrderOfTheIntegrator) {
  for (const auto directions : {ForceDirections::kEndOfStep, ForceDirections::kStartOfStep}) {
    const double coarse = energy_drift(1.0 / 500.0, directions);
    const double fine = energy_drift(1.0 / 1000.0, directions);
    // Both are of first order in the energy of (q, u) pairs (start directions: u belongs to the
    // middle of the step); half the step, half the change.
    EXPECT_NEAR(coarse / fine, 2.0, 0.2);
    EXPECT_LT(fine, 1.0);  // of 29 J exchanged
  }
}

TEST(DoublePendulum, FallsToRestUnlessDirectionsAreThoseOfTheStart) {
  // It starts with both rods level, 0 J; hanging at rest is the least, -2 m g l = -19.62 J.
  const auto energy_after = [](ForceDirections directions) {
    Simulation simulation = simulate("double-pendulum", {}, with_step(1.0 / 120.0, directions));
    EXPECT_EQ(advance(simulation, 20 * 120), 0);
    return simulation.report().energy;
  };
  EXPECT_LT(energy_after(ForceDirections::kEndOfStep), -10.0);
  EXPECT_NEAR(energy_after(ForceDirections::kStartOfStep), 0.0, 0.2);
  SimulationOptions realtime = with_step(1.0 / 120.0, ForceDirections::kStartOfStep);
  realtime.newton = newton_preset("realtime");  // would gain hundreds of joules
  EXPECT_THROW(static_cast<void>(simulate("double-pendulum", {}, realtime)), std::invalid_argument);
}

TEST(Gyroscope, PrecessesAsAFastTop) {
  Simulation simulation = simulate("gyroscope", {{"spin", "100"}}, with_step(1.0 / 1000.0));
  const ConstBodyRef disc = simulation.world().body(1);
  const double expected = 9.81 * 0.1 / (disc.inertia(2, 2) * 100.0);  // m g l / (I3 w)
  ASSERT_GT(100.0 / expected, 50.0);                                  // a fast top
  const auto angle = [&] { return std::atan2(disc.position[1], disc.position[0]); };
  const double start = angle();
  EXPECT_EQ(advance(simulation, 2000), 0);
  EXPECT_NEAR((angle() - start) / 2.0, expected, 0.01 * expected);  // measured 0.2 %
  EXPECT_LT(std::abs(disc.position[2]), 0.02);  // the implicit step lets it sink 6 mm a second
}

TEST(Chain, OfAHundredLinksCarriesAMillionTimesItsMass) {
  SimulationOptions options;
  options.newton.linear = {"cholmod"};
  if (!standard_backends().info("cholmod").available()) GTEST_SKIP() << "built without cholmod";
  Simulation simulation = simulate(
      "chain", {{"links", "100"}, {"ratio", "1e6"}, {"length", "10"}, {"angle", "30"}}, options);
  double stretch = 0.0;
  for (int k = 0; k < 60; ++k) {
    simulation.step();
    EXPECT_LT(simulation.report().error.total, 1e-8);
    stretch = std::max(stretch, 101.0 * simulation.report().drift.distance);  // all gaps at most
  }
  EXPECT_LT(stretch / 10.0, 1e-6);
}

/// Impulses of redundant hinges that only balance each other once grew until, after 245 s, the loop came apart.
TEST(FourBar, RedundantHingesHoldForMinutesInRealtime) {
  SimulationOptions options = with_step(1.0 / 120.0);
  options.newton = newton_preset("realtime");
  Simulation simulation = simulate("four-bar", {{"joints", "redundant"}}, options);
  for (int step = 0; step < 36000; ++step) {
    ASSERT_LT(simulation.step().error.total, 1e-3) << step;
  }
  EXPECT_LT(simulation.report().drift.distance, 1e-6);
}

TEST(FourBar, RedundantHingesEqualTheMinimalVersion) {
  SimulationOptions options;
  options.newton.tolerance = 1e-12;  // both down to rounding
  Simulation redundant = simulate("four-bar", {{"joints", "redundant"}, {"speed", "0"}}, options);
  Simulation minimal = simulate("four-bar", {{"joints", "minimal"}, {"speed", "0"}}, options);
  double difference = 0.0;
  for (int k = 0; k < 240; ++k) {
    redundant.step();
    minimal.step();
    EXPECT_LT(redundant.report().error.total, 1e-9);
    for (int b = 1; b <= 3; ++b) {
      const Vec3 apart = redundant.world().body(b).position - minimal.world().body(b).position;
      difference = std::max(difference, norm(apart));
    }
  }
  EXPECT_LT(difference, 1e-9);
}

TEST(SliderCrank, SliderFollowsTheClosedForm) {
  Simulation simulation = simulate("slider-crank");
  EXPECT_EQ(advance(simulation, 240), 0);
  const double angle =
      std::numbers::pi / 6.0 - simulation.joint_position(0, 0);  // axis +y: x to -z
  const double expected =
      0.5 * std::cos(angle) + std::sqrt(1.5 * 1.5 - std::pow(0.5 * std::sin(angle), 2));
  EXPECT_NEAR(simulation.world().body(3).position[0], expected, 1e-9);
}

/// Three balls in a row without gravity; the first one moves at 1 m/s.
World row_of_balls(double gap) {
  World world;
  world.gravity = {};
  for (int k = 0; k < 3; ++k) {
    Body body;
    body.mass = 1.0;
    body.inertia = sphere_inertia(1.0, 0.5);
    body.position = {k * (1.0 + gap), 0, 0};
    body.velocity = {k == 0 ? 1.0 : 0.0, 0, 0};
    const int ball = world.add_body(body);
    world.add_shape(ball, std::make_shared<Sphere>(0.5), {.mu = 0.0, .restitution = 1.0});
  }
  return world;
}

TEST(NewtonsCradle, TouchingBallsAreSolvedAtOnce) {
  Simulation simulation(row_of_balls(0.0), with_step(1e-3), standard_backends());
  EXPECT_EQ(advance(simulation, 1), 0);
  const std::array<double, 3> expected{-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(simulation.world().body(k).velocity[0], expected[static_cast<std::size_t>(k)],
                1e-9);
  }
}

TEST(NewtonsCradle, SmallGapsSendOneOut) {
  Simulation simulation(row_of_balls(1e-3), with_step(1e-4), standard_backends());
  EXPECT_EQ(advance(simulation, 100), 0);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(simulation.world().body(k).velocity[0], k == 2 ? 1.0 : 0.0, 1e-8);
  }
}

TEST(BouncingBall, HeightsFallByTheSquareOfRestitution) {
  for (const double e : {0.5, 0.8, 1.0}) {
    Simulation simulation =
        simulate("bouncing-ball", {{"restitution", std::to_string(e)}}, with_step(1e-4));
    std::vector<double> heights;
    double last = 1.0;
    bool rising = false;
    for (int k = 0; k < 40000 && heights.size() < 3; ++k) {
      simulation.step();
      const ConstBodyRef ball = simulation.world().body(1);
      const double height = ball.position[2] - 0.1;
      if (rising && height < last) heights.push_back(last);
      if (height != last) rising = height > last;  // at the top two steps may be level
      last = height;
    }
    ASSERT_EQ(heights.size(), 3U) << e;
    for (int n = 0; n < 3; ++n) {
      const double expected = std::pow(e, 2.0 * (n + 1));
      EXPECT_NEAR(heights[static_cast<std::size_t>(n)], expected, 0.01 * expected) << e << " " << n;
    }
  }
}

TEST(BouncingBall, RestitutionHoldsInTheRealtimePreset) {
  SimulationOptions options = test::with_preset("realtime");
  options.h = 1e-3;
  Simulation simulation = simulate("bouncing-ball", {{"restitution", "0.8"}}, options);
  double fastest_up = 0.0;
  for (int k = 0; k < 600; ++k) {
    simulation.step();
    fastest_up = std::max(fastest_up, simulation.world().body(1).velocity[2]);
  }
  EXPECT_NEAR(fastest_up, 0.8 * std::sqrt(2.0 * 9.81), 0.02);  // a step of fall: 0.01 m/s
}

TEST(RollingResistance, StopsABallAndItsSpin) {
  // a = 5/7 l_r g / R = 0.3504 m/s^2, spin: 5/2 l_s g / R^2 = 4.905 rad/s^2.
  Simulation simulation = simulate("rolling-resistance");
  const ConstBodyRef ball = simulation.world().body(1);
  EXPECT_EQ(advance(simulation, 120), 0);
  EXPECT_NEAR(ball.velocity[0], 1.0 - 0.350357, 1e-5);
  EXPECT_NEAR(ball.angular_velocity[2], 10.0 - 4.905, 1e-5);
  EXPECT_EQ(advance(simulation, 300), 0);
  EXPECT_LT(norm(ball.velocity), 1e-9);
  EXPECT_LT(norm(ball.angular_velocity), 1e-8);
}

}  // namespace
}  // namespace nsn
