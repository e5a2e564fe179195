// Scenes with closed-form answers, default preset.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::advance;
using test::simulate;

constexpr double kGravity = 9.81;

/// Where an Euler-discretised slide from v0 stops: h sum (v0 - k mu g h) over its positive terms.
double discrete_stop(double v0, double mu, double h) {
  double x = 0.0;
  for (double v = v0 - mu * kGravity * h; v > 0.0; v -= mu * kGravity * h) x += h * v;
  return x;
}

double total_normal_force(const Simulation& simulation, const Vec3& up) {
  double sum = 0.0;
  for (const ContactInfo& c : simulation.contacts()) sum += dot(up, c.force);
  return sum;
}

TEST(FreeFlight, IsExactForEveryPreset) {
  // 1e-9: some hundred roundings; without the final projection the paper's damping would
  // leave 9.98.
  for (const auto* preset : {"accurate", "realtime", "paper"}) {
    World world;
    Body body;
    body.mass = 1.0;
    body.inertia = identity<3>();
    body.velocity = {10.0, 0.0, 0.0};
    body.angular_velocity = {0.0, 0.0, 3.0};
    world.add_body(body);
    Simulation simulation(std::move(world), test::with_preset(preset), standard_backends());

    advance(simulation, 120);

    EXPECT_NEAR(simulation.world().body(0).velocity[0], 10.0, 1e-9);
    EXPECT_NEAR(simulation.world().body(0).velocity[2], -kGravity, 1e-9);
    EXPECT_NEAR(simulation.world().body(0).angular_velocity[2], 3.0, 1e-9);
  }
}

TEST(FreeFlight, SpinningBodyKeepsItsEnergyBounded) {
  // Implicit gyroscopic term: a fast, far from cubic body loses energy but never gains it.
  World world;
  world.gravity = {};
  Body body;
  body.mass = 1.0;
  body.inertia = diagonal(Vec3{1.0, 2.0, 3.0});
  body.angular_velocity = {0.1, 60.0, 0.1};
  world.add_body(body);
  Simulation simulation(std::move(world), {}, standard_backends());
  const double start = energy(simulation.world());

  advance(simulation, 240);

  EXPECT_LE(simulation.report().energy, start * (1.0 + 1e-9));
  EXPECT_TRUE(std::isfinite(simulation.report().energy));
}

TEST(SlidingBox, StopsWhereTheDiscreteSumSays) {
  auto simulation = simulate("sliding-box");

  const int failed = advance(simulation, 120);

  EXPECT_EQ(failed, 0);
  EXPECT_NEAR(discrete_stop(3.0, 0.5, 1.0 / 120.0), 0.904971875, 1e-9);
  // 73 steps, each solved to 1e-9 of 3 m/s.
  EXPECT_NEAR(simulation.world().body(1).position[0], 0.904971875, 1e-6);
}

TEST(SlidingBox, ConvergesToTheContinuousStopAtFirstOrder) {
  const double exact = 9.0 / (2.0 * 0.5 * kGravity);
  double error[2];
  for (int k = 0; k < 2; ++k) {
    SimulationOptions options;
    options.h = 1.0 / (60.0 * (k + 1) * (k + 1));  // 1/60, 1/240
    auto simulation = simulate("sliding-box", {}, options);
    advance(simulation, k == 0 ? 60 : 240);
    error[k] = std::abs(simulation.world().body(1).position[0] - exact);
  }
  // A quarter of the step, a quarter of the error; the last partial step blurs it a little.
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.4);
}

TEST(SlidingBox, DoesNotLiftAtSixMetresPerSecond) {
  auto simulation = simulate("sliding-box", {{"speed", "6"}});
  double lift = 0.0;
  for (int k = 0; k < 160; ++k) {
    simulation.step();
    lift = std::max(lift, simulation.world().body(1).position[2] - 0.5);
  }
  EXPECT_LT(lift, 1e-4);
}

TEST(BoxOnIncline, SticksBelowTheFrictionAngle) {
  auto simulation = simulate("box-on-incline", {{"slope", "0.49"}});
  advance(simulation, 60);
  const Vec3 before = simulation.world().body(1).position;

  const int failed = advance(simulation, 60);

  EXPECT_EQ(failed, 0);
  // Creep below 1e-9 m/s over half a second.
  EXPECT_LT(norm(simulation.world().body(1).position - before) / 0.5, 1e-9);
}

/// h^2 a n (n + 1) / 2 along the slope after n steps from rest.
double slide_from_rest(double slope, double mu, int n, double h) {
  const double angle = std::atan(slope);
  const double a = kGravity * (std::sin(angle) - mu * std::cos(angle));
  return 0.5 * a * h * h * n * (n + 1);
}

class Incline : public testing::TestWithParam<const char*> {};

TEST_P(Incline, SlidesAboveTheFrictionAngleOnFourRedundantContacts) {
  for (const double factor : {1.01, 1.10}) {
    const double slope = 0.5 * factor;
    auto simulation = simulate("box-on-incline", {{"slope", std::to_string(slope)}},
                               test::with_preset(GetParam()));
    const Vec3 start = simulation.world().body(1).position;

    advance(simulation, 120);

    const double exact = slide_from_rest(slope, 0.5, 120, 1.0 / 120.0);
    // Solved to 1e-9 m/s and better at every step; 1e-5 is the requirement.
    EXPECT_NEAR(norm(simulation.world().body(1).position - start), exact, 1e-5) << slope;
  }
}
INSTANTIATE_TEST_SUITE_P(Presets, Incline, testing::Values("accurate", "realtime"));

TEST(BoxOnIncline, PapersFrictionSticksWhereItShouldSlide) {
  // The fixed point v + W x = 0 pins a box on four contacts at 1.01 mu: kept as an option, and its
  // failure kept as a test.
  SimulationOptions options = test::with_preset("paper");
  options.newton.max_iterations = 30;
  options.newton.linear = {test::direct_solver()};
  options.newton.paper().linear_iterations = 0;
  auto simulation = simulate("box-on-incline", {{"slope", "0.505"}}, options);
  const Vec3 start = simulation.world().body(1).position;

  advance(simulation, 120);

  const double exact = slide_from_rest(0.505, 0.5, 120, 1.0 / 120.0);
  // It creeps by less than a twentieth of what it should slide.
  EXPECT_LT(norm(simulation.world().body(1).position - start), 0.05 * exact);
}

TEST(RollingBall, EndsAtFiveSeventhsOfItsSpeed) {
  auto simulation = simulate("rolling-ball");

  advance(simulation, 60);

  // The last slipping step ends in rolling exactly; what is left is the solver's 1e-9.
  EXPECT_NEAR(simulation.world().body(1).velocity[0], 5.0 / 7.0 * 2.0, 1e-8);
  EXPECT_NEAR(simulation.world().body(1).angular_velocity[1], 5.0 / 7.0 * 2.0 / 0.1, 1e-6);
}

TEST(BallsOnPlate, MatchTheSmoothConeInAnyDirection) {
  for (const double degrees : {0.0, 20.0, 45.0, 77.0}) {
    auto simulation = simulate("balls-on-plate", {{"direction", std::to_string(degrees)}});
    const int failed = advance(simulation, 60);

    const double t = 60.0 / 120.0;
    const Vec3 push{std::cos(degrees * std::numbers::pi / 180.0),
                    std::sin(degrees * std::numbers::pi / 180.0), 0.0};
    // Constant accelerations: velocities are exact up to the balls' tilt of the plate's load.
    EXPECT_EQ(failed, 0);
    EXPECT_NEAR(dot(push, simulation.world().body(1).velocity) / t, 0.7385, 5e-4) << degrees;
    EXPECT_NEAR(dot(push, simulation.world().body(14).velocity) / t, 0.2110, 5e-4) << degrees;
  }
}

TEST(SpinningDisc, SlidingAndSpinningEndTogether) {
  auto simulation = simulate("spinning-disc");
  const double R = 0.1;
  int slide_end = 0;
  int spin_end = 0;
  for (int k = 1; k <= 80; ++k) {
    simulation.step();
    const ConstBodyRef disc = simulation.world().body(1);
    if (norm(disc.velocity) > 1e-3) slide_end = k;
    if (R * std::abs(disc.angular_velocity[2]) > 1e-3) spin_end = k;
  }
  // Within two steps of each other; alone, spinning would have lasted 3 R w / (4 mu g) = 31 steps
  // and sliding v / (mu g) = 20.
  EXPECT_GT(slide_end, 22);
  EXPECT_NEAR(slide_end, spin_end, 2);
}

/// How v / (R w) of a disc on many contact points changes in four steps.
double change_of_ratio(double ratio) {
  SimulationOptions options;
  options.h = 1.0 / 1000.0;
  const double spin = 0.2 / (0.1 * ratio);
  auto simulation = simulate(
      "spinning-disc", {{"rings", "8"}, {"speed", "0.2"}, {"spin", std::to_string(spin)}}, options);
  advance(simulation, 4);
  const ConstBodyRef disc = simulation.world().body(1);
  return norm(disc.velocity) / (0.1 * disc.angular_velocity[2]) - ratio;
}

/// Rate of v / (R w) of a disc that rests evenly on the scene's points, per mu g / (R w).
double rate_of_ratio(double ratio, int rings) {
  double v_dot = 0.0;
  double w_dot = 0.0;
  int count = 0;
  for (int k = 0; k <= rings; ++k) {
    const int points = k == 0 ? 1 : 6 * k;
    for (int i = 0; i < points; ++i, ++count) {
      const double angle = 2.0 * std::numbers::pi * (i + 0.5) / points;
      const double x = k / (rings + 0.5) * std::cos(angle);
      const double y = k / (rings + 0.5) * std::sin(angle);
      const double speed = std::hypot(ratio - y, x);
      v_dot -= (ratio - y) / speed;
      w_dot -= 2.0 * (x * x - y * (ratio - y)) / speed;  // I = M R^2 / 2
    }
  }
  return (v_dot - ratio * w_dot) / count;
}

/// Where smaller ratios rise and larger ones fall.
double ratio_of_points(int rings) {
  double low = 0.4;
  double high = 1.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (rate_of_ratio(middle, rings) > 0.0 ? low : high) = middle;
  }
  return low;
}

TEST(SpinningDisc, SlidingAndSpinningTendToTheirUniversalRatio) {
  // Whatever it starts with, v / (R w) -> 0.6530 (uniform pressure, Farkas et al. 2003). Rings of
  // points stand for the continuous disc; the more, the closer (0.6407, 0.6528, 0.6529 with 8, 16,
  // 100 rings).
  EXPECT_NEAR(ratio_of_points(16), 0.6530, 0.001 * 0.6530);
  EXPECT_NEAR(ratio_of_points(100), 0.6530, 0.0003 * 0.6530);
  // The simulation has that of its own 8 rings to half a percent.
  const double ratio = ratio_of_points(8);
  EXPECT_GT(change_of_ratio(0.4), 0.0);
  EXPECT_GT(change_of_ratio(0.995 * ratio), 0.0);
  EXPECT_LT(change_of_ratio(1.005 * ratio), 0.0);
  EXPECT_LT(change_of_ratio(1.0), 0.0);
}

TEST(AFrame, StandsIffFrictionIsHalfTheTangent) {
  const double critical = 0.5 * std::tan(20.0 * std::numbers::pi / 180.0);
  for (const double factor : {0.98, 1.02}) {
    auto simulation = simulate("a-frame", {{"mu", std::to_string(factor * critical)}});
    const double height = simulation.world().body(1).position[2];

    advance(simulation, 60);

    const double fall = height - simulation.world().body(1).position[2];
    if (factor > 1.0) {
      EXPECT_LT(std::abs(fall), 1e-8);
    } else {
      EXPECT_GT(fall, 1e-3);
    }
  }
}

TEST(Overhang, TipsBeyondHalfItsLength) {
  for (const double share : {0.49, 0.51}) {
    auto simulation = simulate("overhang", {{"overhang", std::to_string(share)}});
    advance(simulation, 60);
    const double fall = 0.125 - simulation.world().body(1).position[2];
    EXPECT_EQ(fall > 1e-4, share > 0.5) << share << " fell by " << fall;
  }
}

TEST(HarmonicStack, StandsUpToTheHarmonicSum) {
  for (const double scale : {0.98, 1.02}) {
    auto simulation = simulate("harmonic-stack", {{"scale", std::to_string(scale)}});
    const double height = simulation.world().body(4).position[2];
    advance(simulation, 60);
    const double fall = height - simulation.world().body(4).position[2];
    EXPECT_EQ(fall > 1e-4, scale > 1.0) << scale << " fell by " << fall;
  }
}

TEST(Capstan, HoldsTheDiscreteRatioToOneMillionth) {
  for (const auto& [nodes, load] : {std::pair("8", 1.0 - 1e-6), std::pair("8", 1.0 + 1e-6),
                                    std::pair("16", 1.0 - 1e-6), std::pair("16", 1.0 + 1e-6)}) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9f", load);
    SimulationOptions options;
    options.newton.tolerance = 1e-12;  // forces differ by 1e-6: the error must be smaller still
    auto simulation = simulate("capstan", {{"load", text}, {"nodes", nodes}}, options);
    advance(simulation, 5);
    const double speed = simulation.report().speed;
    // Slipping: the excess accelerates 16 nodes of 10 g for 5 steps: 1e-6 * 2.56 N / 0.16 kg * 0.04
    // s.
    EXPECT_EQ(speed > 1e-7, load > 1.0) << load << ": " << speed;
  }
}

TEST(Capstan, ConvergesToTheExponentialWithTheNumberOfLinks) {
  const double mu = 0.3;
  const double wrap = std::numbers::pi;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const int n = k == 0 ? 8 : 16;
    const double t = mu * std::tan(0.5 * wrap / n);
    error[k] = std::abs(std::pow((1 + t) / (1 - t), n) / std::exp(mu * wrap) - 1.0);
  }
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.2);  // second order in the turn per link
}

TEST(FourLegTable, LegForcesSumToTheWeight) {
  auto simulation = simulate("four-leg-table");
  const int failed = advance(simulation, 30);
  const double weight = 4.7 * kGravity;
  EXPECT_EQ(failed, 0);
  // The step is solved to 1e-9 of h g.
  EXPECT_NEAR(total_normal_force(simulation, {0, 0, 1}) / weight, 1.0, 1e-9);
}

TEST(CylinderRing, RedundantContactsCarryTheWeight) {
  auto simulation = simulate("cylinder-ring", {{"speed", "0"}});
  const int failed = advance(simulation, 30);
  EXPECT_EQ(failed, 0);
  EXPECT_NEAR(total_normal_force(simulation, {0, 0, 1}) / (10.0 * kGravity), 1.0, 1e-9);
}

TEST(PainleveRod, ReturnsASolution) {
  auto simulation = simulate("painleve-rod");
  for (int k = 0; k < 60; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_LT(report.error.total, 1e-6) << "step " << k;
    ASSERT_LT(report.energy, 7.0);
  }
}

/// True if the crown of a circular arch is still where it was after half a second.
bool arch_stands(int blocks, double thickness, double mu = 0.6) {
  auto simulation = simulate("circular-arch", {{"blocks", std::to_string(blocks)},
                                               {"thickness", std::to_string(thickness)},
                                               {"mu", std::to_string(mu)}});
  const int crown = 1 + blocks / 2;
  const double height = simulation.world().body(crown).position[2];
  advance(simulation, 60);
  return height - simulation.world().body(crown).position[2] < 1e-5;
}

TEST(CircularArch, StandsAboveItsMinimumThickness) {
  // Static limit analysis: N = 7 0.09624, N = 20 0.10746; bracketed within 2 %.
  EXPECT_TRUE(arch_stands(7, 1.02 * 0.09624));
  EXPECT_FALSE(arch_stands(7, 0.98 * 0.09624));
  EXPECT_TRUE(arch_stands(20, 1.02 * 0.10746));
  EXPECT_FALSE(arch_stands(20, 0.98 * 0.10746));
}

TEST(CircularArch, NeedsMoreThicknessWhereFrictionIsLow) {
  // mu = 0.35: sliding joints take part in the collapse; static limit analysis N = 7 0.1326, N = 20
  // 0.1503.
  EXPECT_TRUE(arch_stands(7, 1.02 * 0.1326, 0.35));
  EXPECT_FALSE(arch_stands(7, 0.98 * 0.1326, 0.35));
  EXPECT_TRUE(arch_stands(20, 1.02 * 0.1503, 0.35));
  EXPECT_FALSE(arch_stands(20, 0.98 * 0.1503, 0.35));
}

TEST(HeavyStack, InterfaceLoadsMatchTheWeightsAbove) {
  auto simulation = simulate("heavy-stack");
  const int failed = advance(simulation, 60);
  EXPECT_EQ(failed, 0);
  EXPECT_LT(simulation.report().penetration, 1e-6);
  double load[5] = {};
  for (const ContactInfo& c : simulation.contacts()) {
    load[std::min(c.body_a, c.body_b)] += std::abs(c.force[2]) / kGravity;
  }
  const double expected[5] = {37448, 37440, 37376, 36864, 32768};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(load[i] / expected[i], 1.0, 1e-6) << i;
}

class HeavyStackBackends : public testing::TestWithParam<const char*> {};

TEST_P(HeavyStackBackends, StandsStill) {
  if (!test::available(GetParam())) GTEST_SKIP() << GetParam() << " is not in this build";
  SimulationOptions options;
  options.newton.linear = {GetParam()};
  auto simulation = simulate("heavy-stack", {}, options);
  double penetration = 0.0;
  for (int k = 0; k < 100; ++k) penetration = std::max(penetration, simulation.step().penetration);
  double drift = 0.0;
  for (int b = 1; b <= 5; ++b) {
    const Vec3 start{0.0, 0.0, b - 0.5};
    drift = std::max(drift, norm(simulation.world().body(b).position - start));
  }
  EXPECT_LT(penetration, 1e-6);
  EXPECT_LT(drift, 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Backends, HeavyStackBackends,
                         testing::Values("contact-lu", "klu", "cholmod", "eigen-ldlt", "gmres"));

TEST(Arch, CrownStaysInPlace) {
  auto simulation = simulate("arch");
  const double height = simulation.world().body(10).position[2];
  const int failed = advance(simulation, 240);
  EXPECT_EQ(failed, 0);
  EXPECT_NEAR(simulation.world().body(10).position[2], height, 1e-4);
}

TEST(Wall, ComesToRestAndStays) {
  auto simulation = simulate("wall", {{"rows", "5"}, {"columns", "5"}, {"drop", "0.0005"}});
  advance(simulation, 120);
  EXPECT_LT(simulation.report().speed, 1e-6);
}

TEST(SlidingStack, NearlyEveryStepIsSolved) {
  int failed = 0;
  int steps = 0;
  for (int seed = 1; seed <= 4; ++seed) {
    auto simulation = simulate("sliding-stack", {{"seed", std::to_string(seed)}});
    for (int k = 0; k < 60; ++k, ++steps) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(std::isfinite(report.energy));
      failed += report.error.total > 1e-8 ? 1 : 0;
    }
  }
  RecordProperty("unconverged", failed);
  EXPECT_LT(failed, 0.005 * steps + 1.0);  // at most one of 240
}

}  // namespace
}  // namespace nsn
