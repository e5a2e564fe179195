// What the realtime preset promises, in closed loop: finite, no energy gained without work, cones
// respected, and errors far below the paper's at the same number of factorisations.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/robustness/closed_loop.h"
#include "nsn/core/step/step_method.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/scenes/parts.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using robustness::Case;
using robustness::Sample;
using robustness::Summary;

SimulationOptions options_of(const std::string& preset, int factorizations) {
  SimulationOptions options = test::with_preset(preset);
  options.newton.max_iterations = factorizations;
  return options;
}

std::vector<Sample> run_all(const std::string& preset, int factorizations, int steps) {
  std::vector<Sample> samples;
  for (const Case& one : robustness::all_cases()) {
    samples.push_back(robustness::run(one, options_of(preset, factorizations), steps));
  }
  return samples;
}

class Realtime : public testing::TestWithParam<int> {};

TEST_P(Realtime, KeepsItsPromisesOnEveryScene) {
  const std::vector<Case> cases = robustness::all_cases();
  const std::vector<Sample> samples = run_all("realtime", GetParam(), 30);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name());
    const Sample& sample = samples[i];
    EXPECT_FALSE(sample.blown_up);
    for (const double e : sample.error) EXPECT_TRUE(std::isfinite(e));
    for (const double n : sample.factorizations) EXPECT_LE(n, GetParam());
    // In units of the weight times 1 m: rounding of the energies, and what lifts the bodies out of what
    // they overlap by. The capstan's links correct the length they have lost to the linearisation,
    // which is work as well.
    EXPECT_LE(sample.energy_gain,
              (cases[i].scene == "capstan" ? 1e-6 : 1e-13) + sample.penetration);
    // Impulses are clipped to the cone; turning them into world axes and back rounds.
    EXPECT_LE(sample.cone_violation, 1e-14);
  }
}

TEST(RealtimeStep, CancelEndsAStepWithTheSafeIterate) {
  for (const std::string scene :
       {"sliding-stack", "bridge"}) {  // with and without eliminated joints
    SCOPED_TRACE(scene);
    SimulationOptions options = options_of("realtime", 6);
    options.newton.cancel = [] { return true; };
    Simulation simulation(make_scene(scene), options, standard_backends());
    const StepReport& report = simulation.step();
    EXPECT_EQ(report.status, NewtonStatus::kCancelled);
    EXPECT_LE(report.factorizations, 1);  // ADMM, which makes the start of a cold step
    EXPECT_TRUE(std::isfinite(report.error.total));
  }
}

TEST(RealtimeStep, ShowsItsLinearSystems) {
  Simulation simulation(make_scene("arch"), options_of("realtime", 6), standard_backends());
  int shown = 0;
  simulation.observe([&](int, const NewtonSystemView& view) {
    EXPECT_EQ(view.iteration, shown++);
    EXPECT_NE(view.S, nullptr);
    EXPECT_NE(view.W, nullptr);
  });
  simulation.step();
  EXPECT_GT(shown, 0);
}

/// Errors of 17 scenes of others, m/s, by factorisations: geometric means of median and 95 %.
struct Published {
  double median;
  double p95;
};

TEST_P(Realtime, ErrorsStayWithinTenTimesThePublishedAndFarBelowThePapers) {
  // With 6 factorisations no figures exist: those of 4 hold.
  const Published published = GetParam() >= 10 ? Published{2e-7, 8e-6} : Published{6e-7, 1e-5};
  const Summary realtime = robustness::summarise(run_all("realtime", GetParam(), 20));
  const Summary paper = robustness::summarise(run_all("paper", GetParam(), 20));
  RecordProperty("median", std::to_string(realtime.error_median));
  EXPECT_LE(realtime.error_median, 10.0 * published.median);
  EXPECT_LE(realtime.error_p95, 10.0 * published.p95);
  EXPECT_GE(paper.error_median, 100.0 * realtime.error_median);
  EXPECT_GE(paper.error_p95, 100.0 * realtime.error_p95);
}
INSTANTIATE_TEST_SUITE_P(Factorizations, Realtime, testing::Values(4, 6, 10));

TEST(Realtime, HandsOverWhereAskedAndSaysSo) {
  for (const bool allowed : {false, true}) {
    SimulationOptions options = options_of("realtime", 1);
    options.newton.realtime().hand_over = allowed;
    auto simulation = test::simulate("sliding-stack", {{"seed", "3"}}, options);
    bool handed_over = false;
    double error = 0.0;
    for (int k = 0; k < 20; ++k) {
      const StepReport& report = simulation.step();
      handed_over = report.handed_over || handed_over;
      error = std::max(error, report.error.total);
    }
    EXPECT_EQ(handed_over, allowed);
    // A step is left to the accurate method above 1e-2 m/s.
    EXPECT_EQ(error <= 1e-2, allowed) << error;
  }
}

/// A box on a plate that moves as it is told.
Simulation carried_box(const Vec3& velocity, const std::string& preset) {
  World world;
  const int plate = add_box(world, {4, 4, 0.2}, 1.0, {0, 0, 0.1}, 0.5);
  world.body(plate).kind = BodyKind::kKinematic;
  world.body(plate).velocity = velocity;
  add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.7}, 0.5);
  return Simulation(std::move(world), test::with_preset(preset), standard_backends());
}

TEST(Realtime, ABodyOfGivenMotionLiftsAndCarries) {
  for (const auto* preset : {"accurate", "realtime"}) {
    SCOPED_TRACE(preset);
    auto lifted = carried_box({0, 0, 0.5}, preset);
    auto carried = carried_box({0.3, 0, 0}, preset);
    for (int k = 0; k < 60; ++k) {
      lifted.step();
      carried.step();
    }
    // The plate rises by 0.25 m in half a second; steps are solved to 1e-7 m/s.
    EXPECT_NEAR(lifted.world().body(1).position[2], 0.95, 1e-6);
    EXPECT_NEAR(lifted.world().body(1).velocity[2], 0.5, 1e-6);
    EXPECT_NEAR(carried.world().body(1).velocity[0], 0.3, 1e-6);
    EXPECT_NEAR(carried.world().body(1).position[2], 0.7, 1e-6);
  }
}

TEST(Realtime, ExternalForcesAreWorkThatMayBeGained) {
  // Pushed by 20 N against 0.5 * 2 * 9.81 N of friction: a = (20 - 9.81) / 2.
  World world;
  add_ground(world, 0.5);
  const int box = add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.5}, 0.5);
  world.body(box).force = {20.0, 0.0, 0.0};
  Simulation simulation(std::move(world), test::with_preset("realtime"), standard_backends());
  for (int k = 0; k < 60; ++k) simulation.step();
  EXPECT_NEAR(simulation.world().body(1).velocity[0], 0.5 * (20.0 - 9.81) / 2.0, 1e-5);
}

}  // namespace
}  // namespace nsn
