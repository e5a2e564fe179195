// What each method promises of a step, and that it says truthfully what became of that.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nsn/models/scenes/parts.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::simulate;
using test::with_preset;

/// Of every step of a scene.
struct Count {
  int reached = 0;
  int missed = 0;
  int failed = 0;
  bool held = true;
};

Count count_steps(Simulation& simulation, int steps) {
  Count count;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    count.reached += report.promise == Promise::kReached ? 1 : 0;
    count.missed += report.promise == Promise::kMissed ? 1 : 0;
    count.failed += report.promise == Promise::kFailed ? 1 : 0;
    count.held = count.held && report.promise_held;
    EXPECT_EQ(report.islands,
              report.islands_reached + report.islands_missed + report.islands_failed);
    EXPECT_EQ(report.converged(), report.status <= NewtonStatus::kOnTarget);
  }
  return count;
}

TEST(Promise, RealtimeReachesItsTargetWhereAccurateToleranceIsFar) {
  Simulation simulation = simulate("arch", {}, with_preset("realtime"));
  int above_tolerance = 0;
  for (int k = 0; k < 30; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.converged()) << to_string(report.status);
    EXPECT_EQ(report.promise, Promise::kReached);
    EXPECT_TRUE(report.promise_held);
    EXPECT_LE(report.target_error, report.target);
    // 1 % of h g: nothing moves.
    EXPECT_NEAR(report.target, 0.01 * 9.81 / 120.0, 1e-6);
    above_tolerance += report.status == NewtonStatus::kOnTarget ? 1 : 0;
  }
  EXPECT_GT(above_tolerance, 0) << "no step was between tolerance and target";
}

TEST(Promise, RealtimeCountsTheStepsThatMissedTheTargetAndSaysWhere) {
  SimulationOptions options = with_preset("realtime");
  options.newton.max_iterations = 2;
  Simulation simulation = simulate("sliding-stack", {}, options);
  int missed = 0;
  for (int k = 0; k < 30; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.promise_held);
    if (report.promise == Promise::kReached) continue;
    ++missed;
    EXPECT_EQ(report.status, NewtonStatus::kBudgetReached);
    EXPECT_FALSE(report.converged());
    EXPECT_GT(report.target_error, report.target);
    ASSERT_GE(report.worst_contact, 0);
    const ContactInfo& contact = simulation.contacts()[to_size(report.worst_contact)];
    EXPECT_EQ(std::minmax(report.worst_body_a, report.worst_body_b),
              std::minmax(contact.body_a, contact.body_b));
  }
  EXPECT_GT(missed, 0);
}

TEST(Promise, WhatRealtimeMissesIsInsideItsConesAndGainsNoEnergy) {
  SimulationOptions options = with_preset("realtime");
  options.newton.max_iterations = 2;
  Simulation simulation = simulate("sliding-stack", {{"seed", "3"}}, options);
  double energy = nsn::energy(simulation.world());
  for (int k = 0; k < 30; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(report.promise_held);
    // Boxes that come apart from an overlap are lifted a little.
    EXPECT_LE(report.energy, energy * (1.0 + 1e-3)) << k;
    energy = report.energy;
    for (const ContactInfo& c : simulation.contacts()) {
      const double normal = dot(c.impulse, c.normal);
      const double tangent = norm(c.impulse - normal * c.normal);
      EXPECT_LE(tangent, c.mu * normal + 1e-13 * norm(c.impulse));
    }
  }
}

TEST(Promise, AccurateKeepsItsToleranceOrDoesNotHold) {
  Simulation solved = simulate("sliding-stack");
  const Count good = count_steps(solved, 20);
  EXPECT_EQ(good.reached, 20);
  EXPECT_TRUE(good.held);

  SimulationOptions options;
  options.newton.max_iterations = 1;
  options.newton.tolerance = 1e-14;
  Simulation cut = simulate("sliding-stack", {}, options);
  const StepReport& report = cut.step();
  EXPECT_EQ(report.promise, Promise::kMissed);
  EXPECT_FALSE(report.promise_held);
  EXPECT_GE(report.worst_contact, 0);
}

/// A floor, two boxes on each other that fill the room under a plate, and the plate, which comes down at this speed.
World press(double speed) {
  World world;
  add_ground(world, 0.5);
  add_box(world, {1, 1, 1}, 2.0, {0, 0, 0.5}, 0.5);
  add_box(world, {1, 1, 1}, 3.0, {0, 0, 1.5}, 0.5);
  const int plate = add_box(world, {2, 2, 0.2}, 1.0, {0, 0, 2.1}, 0.5);
  world.body(plate).kind = BodyKind::kKinematic;
  world.body(plate).velocity = {0, 0, -speed};
  return world;
}

TEST(Promise, AStepWithoutASolutionIsCertifiedNamesWhatIsSqueezedAndStaysCalm) {
  Simulation simulation(press(0.5), with_preset("accurate"));
  const StepReport& squeezed = simulation.step();
  EXPECT_FALSE(squeezed.converged());
  EXPECT_NE(squeezed.promise, Promise::kReached);
  EXPECT_GE(squeezed.no_solution, 1e4);
  EXPECT_EQ(squeezed.squeezed_bodies, (std::vector<int>{1, 2}));
  EXPECT_EQ(squeezed.detail.rfind("no solution: bodies 1, 2 are squeezed", 0), 0U)
      << squeezed.detail;
  for (int k = 0; k < 10; ++k) {  // they lean, and leave sideways
    for (const int b : {1, 2}) EXPECT_LE(norm(simulation.world().body(b).velocity), 2.0) << k;
    simulation.step();
  }
  // Where the plate does not press there is a solution, and nothing of the kind is said.
  Simulation calm(press(0.0), with_preset("accurate"));
  const StepReport& report = calm.step();
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.no_solution, 0.0);
  EXPECT_TRUE(report.squeezed_bodies.empty());
}

TEST(Promise, PaperDoesItsIterationsOrMeetsTheToleranceItIsGiven) {
  Simulation fixed = simulate("sliding-box", {}, with_preset("paper"));
  const Count done = count_steps(fixed, 20);
  EXPECT_EQ(done.reached, 20);
  EXPECT_TRUE(done.held);

  SimulationOptions options = with_preset("paper");
  options.newton.tolerance = 1e-12;
  Simulation asked = simulate("sliding-box", {}, options);
  const StepReport& report = asked.step();
  EXPECT_EQ(report.promise, Promise::kMissed);
  EXPECT_FALSE(report.promise_held);
}

TEST(Promise, EquationsThatAreNotFiniteFailInEveryMethod) {
  for (const auto& preset : preset_names()) {
    SCOPED_TRACE(preset);
    World world;
    add_ground(world, 0.5);
    const int box = add_box(world, {1, 1, 1}, 1e-8, {0, 0, 0.5}, 0.5);
    world.body(box).force = {1e300, 0.0, 1e300};
    world.body(box).force = (1.0 / world.body(box).mass) * world.body(box).force;
    if (!all_finite(world.body(box).force)) world.body(box).force = {1e308, 0.0, 0.0};
    Simulation simulation(std::move(world), with_preset(preset), standard_backends());
    const StepReport& report = simulation.step();
    EXPECT_EQ(report.status, NewtonStatus::kNonFinite);
    EXPECT_EQ(report.promise, Promise::kFailed);
    EXPECT_FALSE(report.promise_held);
    EXPECT_FALSE(report.converged());
    EXPECT_TRUE(all_finite(simulation.world().body(1).position));
    EXPECT_TRUE(all_finite(simulation.world().body(1).velocity));
  }
}

}  // namespace
}  // namespace nsn
