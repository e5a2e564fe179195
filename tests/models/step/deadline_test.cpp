// Deadlines, with a clock that goes as fast as this file says: nothing here depends on the machine.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "nsn/core/problems/friction_solver.h"
#include "nsn/models/scenes/parts.h"
#include "tests/support/friction_samples.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::with_preset;

/// A clock that a look takes a little of, and a factorisation as much as is said.
struct Time {
  double now = 0.0;
  double look = 1e-5;
  double flops = 0.0;  ///< of a factorisation, as the solver tells
  double speed = 1e9;  ///< of factorisations, flops/s
  int factorizations = 0;
};

/// contact-lu on such a clock.
class SlowSolver final : public LinearSolver {
 public:
  SlowSolver(Time& time, std::unique_ptr<LinearSolver> inner)
      : time_(time), inner_(std::move(inner)) {}
  std::string_view name() const override { return "slow"; }
  const Capabilities& capabilities() const override { return inner_->capabilities(); }
  double factorization_flops() const override { return time_.flops; }

 private:
  void do_analyze(const LinearOperator& op) override { inner_->analyze(op); }
  Preparation do_factorize(const LinearOperator& op) override {
    inner_->prepare(op);
    ++time_.factorizations;
    time_.now += time_.flops / time_.speed;
    return {};
  }
  void do_solve(const LinearOperator&, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    const LinearReport one = inner_->solve(b, x, control, monitor);
    report.status = one.ok() ? LinearStatus::kDirect : one.status;
  }
  double bytes_held() const override { return 0.0; }

  Time& time_;
  std::unique_ptr<LinearSolver> inner_;
};

SolverRegistry registry_on(Time& time) {
  SolverRegistry registry = standard_backends();
  SolverInfo info;
  info.name = "slow";
  info.make = [&time](const Options&, const SolverRegistry& all) {
    return std::make_unique<SlowSolver>(time, all.make("contact-lu"));
  };
  registry.add(info);
  return registry;
}

Simulation simulate(const std::string& preset, double budget, World world, Time& time) {
  SimulationOptions options = with_preset(preset);
  options.newton.linear = {"slow"};
  options.newton.time_budget = budget;
  options.newton.clock = [&time] { return time.now += time.look; };
  return Simulation(std::move(world), options, registry_on(time));
}

/// Impulses inside their cones, nothing that moves faster than it fell.
void expect_safe(const Simulation& simulation, double speed) {
  for (const ContactInfo& c : simulation.contacts()) {
    const double normal = dot(c.impulse, c.normal);
    const double tangent = norm(c.impulse - normal * c.normal);
    EXPECT_GE(normal, 0.0);
    // accurate: to the error of the iterate.
    EXPECT_LE(tangent, c.mu * normal + 1e-5 * norm(c.impulse));
  }
  EXPECT_LE(simulation.report().speed, speed);
}

class Deadline : public testing::TestWithParam<std::string> {};

TEST_P(Deadline, AFactorisationThatWouldNotEndInTimeDoesNotStart) {
  Time time;
  time.flops = 1e14;  // a day
  Simulation simulation =
      simulate(GetParam(), 0.05, make_scene("wall", {{"rows", "3"}, {"columns", "3"}}), time);
  for (int k = 0; k < 3; ++k) {
    const double before = time.now;
    const StepReport& report = simulation.step();
    EXPECT_EQ(time.factorizations, 0);
    EXPECT_LE(time.now - before, 0.05 + 1e-3);
    EXPECT_TRUE(report.converged() || report.status == NewtonStatus::kCancelled)
        << to_string(report.status);
    EXPECT_GT(report.safe_seconds, 0.0);
    EXPECT_LT(report.safe_seconds, 0.01);
    // Without any impulse the error is h g = 0.08 m/s.
    EXPECT_LT(report.error.total, 0.08);
    expect_safe(simulation, 0.1 * (k + 1));
  }
}

TEST_P(Deadline, TheFirstFactorisationShowsHowFastTheyAre) {
  Time time;
  time.flops = 1e8;  // 0.1 s each; sweeps promise much less
  Simulation simulation = simulate(GetParam(), 0.25, make_scene("sliding-stack"), time);
  for (int k = 0; k < 5; ++k) {
    const double before = time.now;
    time.factorizations = 0;
    static_cast<void>(simulation.step());
    EXPECT_LE(time.factorizations, 2);
    EXPECT_LE(time.now - before, 0.25 + 1e-3) << k;
    expect_safe(simulation, 10.0);
  }
}

TEST_P(Deadline, IslandsShareTheBudgetOfAStep) {
  World world;
  add_ground(world, 0.5);
  for (int k = 0; k < 10; ++k) {
    const int box = add_box(world, {1, 1, 1}, 2.0, {3.0 * k, 0, 0.5}, 0.5);
    world.body(box).velocity = {1.0, 0.3, 0.0};
  }
  Time time;
  time.flops = 1e7;  // 0.01 s
  Simulation simulation = simulate(GetParam(), 0.25, std::move(world), time);
  for (int k = 0; k < 3; ++k) {
    const double before = time.now;
    const StepReport& report = simulation.step();
    EXPECT_EQ(report.islands, 10);
    EXPECT_LE(time.now - before, 0.25 + 0.01) << k;
    EXPECT_LE(report.speed, 1.05);
  }
}

TEST_P(Deadline, ThousandsOfContactsOfOneBodyAreNeverFormed) {
  // 1 000 points of one plate: W has a million blocks, 3e8 operations with its pattern.
  World world;
  add_ground(world, 0.5);
  const int plate =
      world.add_body({.mass = 10.0, .inertia = diagonal(Vec3{1, 1, 2}), .position = {0, 0, 0.05}});
  for (int k = 0; k < 1000; ++k) {
    const double x = 0.05 * (k % 32) - 0.8;
    const double y = 0.05 * (k / 32) - 0.8;
    world.add_contact({.body_a = plate, .body_b = 0, .point = {x, y, -0.05}, .mu = 0.5});
  }
  Time time;
  time.look = 5e-3;  // sweeps of 1e6 operations take as long
  Simulation simulation = simulate(GetParam(), 0.5, std::move(world), time);
  const StepReport& report = simulation.step();
  EXPECT_EQ(time.factorizations, 0);
  EXPECT_LE(time.now, 0.6);
  EXPECT_FALSE(report.detail.empty());
  EXPECT_LE(report.error.total, 1e-3);
  expect_safe(simulation, 1e-3);
}

TEST_P(Deadline, AWishToStopWhileContactsAreFoundLeavesTheWorldWhereItWas) {
  SimulationOptions options = with_preset(GetParam());
  bool stop = true;
  options.newton.cancel = [&] { return stop; };
  Simulation simulation(make_scene("sliding-stack"), options, standard_backends());
  const Vec3 before = simulation.world().body(1).position;
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.status, NewtonStatus::kCancelled);
  EXPECT_EQ(report.promise, Promise::kFailed);
  EXPECT_FALSE(report.promise_held);
  EXPECT_FALSE(report.detail.empty());
  EXPECT_EQ(norm(simulation.world().body(1).position - before), 0.0);
  EXPECT_EQ(simulation.world().time, 0.0);
  EXPECT_TRUE(simulation.contacts().empty());
  stop = false;
  EXPECT_TRUE(simulation.step().promise_held);
  EXPECT_GT(simulation.world().time, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Presets, Deadline, testing::Values("accurate", "realtime"));

TEST(PaperDeadline, NoIterationStartsThatTheLastOneShowsNotToFit) {
  SimulationOptions options = with_preset("paper");
  options.newton.time_budget = 1.0;
  options.newton.max_iterations = 1000;
  double now = 0.0;
  options.newton.clock = [&] { return now += 0.05; };
  Simulation simulation(make_scene("sliding-box"), options, standard_backends());
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.status, NewtonStatus::kCancelled);
  EXPECT_LE(now, 1.2);
  EXPECT_GT(report.newton_iterations, 0);
}

TEST(PaperDeadline, AFactorisationThatWouldNotEndInTimeDoesNotStart) {
  Time time;
  time.flops = 1e14;  // a day
  Simulation simulation =
      simulate("paper", 0.05, make_scene("wall", {{"rows", "3"}, {"columns", "3"}}), time);
  for (int k = 0; k < 3; ++k) {
    const double before = time.now;
    const StepReport& report = simulation.step();
    EXPECT_EQ(time.factorizations, 0);
    EXPECT_LE(time.now - before, 0.05 + 1e-3);
    EXPECT_GT(report.safe_seconds, 0.0);
    EXPECT_LT(report.error.total, 0.08);
    expect_safe(simulation, 0.1 * (k + 1));
  }
}

TEST(PaperDeadline, BlocksThatThereIsNoTimeForAreNotFormed) {
  World world;
  add_ground(world, 0.5);
  const int plate =
      world.add_body({.mass = 10.0, .inertia = diagonal(Vec3{1, 1, 2}), .position = {0, 0, 0.05}});
  for (int k = 0; k < 1000; ++k) {
    const double x = 0.05 * (k % 32) - 0.8;
    const double y = 0.05 * (k / 32) - 0.8;
    world.add_contact({.body_a = plate, .body_b = 0, .point = {x, y, -0.05}, .mu = 0.5});
  }
  Time time;
  time.look = 5e-3;  // sweeps of 1e6 operations take as long
  Simulation simulation = simulate("paper", 0.5, std::move(world), time);
  const StepReport& report = simulation.step();
  EXPECT_EQ(time.factorizations, 0);
  EXPECT_LE(time.now, 0.6);
  EXPECT_FALSE(report.detail.empty());
  expect_safe(simulation, 1e-3);
}

TEST(SolveDeadline, SweepsGoOnWhereNoFactorisationFits) {
  Time time;
  time.flops = 1e14;
  FrictionSolverOptions options;
  options.linear = "slow";
  options.time_limit = 0.5;
  options.clock = [&time] { return time.now += time.look; };
  const FrictionSolver solver(options, registry_on(time));
  const FrictionProblem problem = test::two_contacts();
  const FrictionResult result = solver.solve(problem);
  EXPECT_EQ(time.factorizations, 0);
  EXPECT_LE(time.now, 0.55);
  EXPECT_GT(result.sweeps, 0);
  EXPECT_TRUE(std::isfinite(result.error.siconos));
  EXPECT_TRUE(result.solved() || result.status == FrictionStatus::kTimeLimit);
}

}  // namespace
}  // namespace nsn
