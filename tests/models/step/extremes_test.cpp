// Numbers at the edge of what a double holds: no confident word about a step that is none.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "nsn/models/scenes/parts.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::with_preset;

World box_on_ground(double mu, double mass = 2.0) {
  World world;
  add_ground(world, mu);
  add_box(world, {1, 1, 1}, mass, {0, 0, 0.5}, mu);
  return world;
}

class Extremes : public testing::TestWithParam<std::string> {
 protected:
  Simulation simulate(World world) const {
    return Simulation(std::move(world), with_preset(GetParam()), standard_backends());
  }
};

TEST_P(Extremes, HugeFrictionHoldsTheBox) {
  for (const double mu : {1e2, 1e4}) {
    SCOPED_TRACE(mu);
    World world = box_on_ground(mu);
    world.body(1).force = {15.0, 3.0, 0.0};  // 0.8 of its weight
    Simulation simulation = simulate(std::move(world));
    for (int k = 0; k < 60; ++k) {
      const StepReport& report = simulation.step();
      EXPECT_TRUE(report.promise_held)
          << k << " " << to_string(report.status) << report.error.total;
    }
    const double moved = norm(simulation.world().body(1).position - Vec3{0, 0, 0.5});
    EXPECT_LE(moved, 1e-6);
  }
}

TEST_P(Extremes, SpeedsBeyondTheSquareRootOfTheLargestNumber) {
  for (const double g : {1e154, 1e200, 1e300}) {
    SCOPED_TRACE(g);
    World falling;  // nothing touches it
    falling.gravity = {0, 0, -g};
    falling.add_body({.mass = 2.0, .inertia = diagonal(Vec3{1, 1, 1})});
    Simulation free = simulate(std::move(falling));
    const StepReport& fall = free.step();
    EXPECT_TRUE(std::isfinite(fall.speed));
    EXPECT_FALSE(fall.promise_held && !std::isfinite(fall.energy));
    EXPECT_EQ(fall.promise_held, std::isfinite(fall.energy));

    World resting = box_on_ground(0.5);
    resting.gravity = {0, 0, -g};
    Simulation rest = simulate(std::move(resting));
    const StepReport& report = rest.step();
    EXPECT_TRUE(std::isfinite(report.speed));
    if (report.converged()) {
      EXPECT_LE(report.speed, 1e-6 * g / 120.0);
    }
    EXPECT_TRUE(all_finite(rest.world().body(1).position));
    EXPECT_TRUE(all_finite(rest.world().body(1).velocity));
  }
}

TEST_P(Extremes, ForcesBeyondReach) {
  World world = box_on_ground(0.5);
  world.body(1).force = {1e300, 0.0, 0.0};
  Simulation simulation = simulate(std::move(world));
  const StepReport& report = simulation.step();
  EXPECT_TRUE(std::isfinite(report.speed));
  EXPECT_FALSE(report.promise_held && !std::isfinite(report.energy));
  EXPECT_TRUE(all_finite(simulation.world().body(1).velocity));
}

TEST_P(Extremes, AMarginThatIsNoneIsRefused) {
  for (const double margin :
       {std::numeric_limits<double>::quiet_NaN(), -0.01, std::numeric_limits<double>::infinity()}) {
    World world = box_on_ground(0.5);
    world.margin = margin;
    Simulation simulation = simulate(std::move(world));
    EXPECT_THROW(simulation.step(), std::invalid_argument) << margin;
  }
}

TEST_P(Extremes, WideMassRatiosGainNoEnergy) {
  for (const double ratio : {1e9}) {
    SCOPED_TRACE(ratio);
    World world = box_on_ground(0.5, 1.0);
    add_box(world, {1, 1, 1}, ratio, {0, 0, 1.5}, 0.5);
    const double start = energy(world);
    Simulation simulation = simulate(std::move(world));
    for (int k = 0; k < 30; ++k) {
      const StepReport& report = simulation.step();
      EXPECT_LE(report.energy - start, 1e-9 * start) << k;
      // Converged, or it says that it is not; either way it does not fall through.
      if (!report.promise_held) {
        EXPECT_NE(report.status, NewtonStatus::kConverged);
      }
      EXPECT_LE(report.speed, 0.5) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Extremes, testing::Values("accurate", "realtime"));

}  // namespace
}  // namespace nsn
