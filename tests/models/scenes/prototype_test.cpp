// Acceptance figures of a NumPy prototype of the method, each with the settings its figure has.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::simulate;

constexpr double kGravity = 9.81;

/// Fischer-Burmeister or minimum map, row-scaled, warm, absolute regularisation 1e-6.
SimulationOptions warm_row_scaled(NcpKind ncp, const std::string& linear, int iterations) {
  SimulationOptions options = test::with_preset("paper");
  options.newton.paper().ncp = ncp;
  options.newton.paper().form = NcpForm::kRowScaled;
  options.newton.warm_start = true;
  options.newton.paper().start = StartingIterate::kPrevious;
  options.newton.paper().origin = ncp::Origin::kActive;
  options.newton.linear = {linear};
  options.newton.paper().linear_iterations =
      standard_backends().info(linear).capabilities.direct ? 0 : iterations;
  return options;
}

SimulationOptions alart_curnier(FrictionKind kind) {
  SimulationOptions options = warm_row_scaled(NcpKind::kMinimumMap, "contact-lu", 0);
  options.newton.paper().friction = kind;
  options.newton.paper().damping = Damping::kAdaptive;
  options.newton.paper().best_iterate = true;
  options.newton.max_iterations = 50;
  options.newton.tolerance = 1e-10;
  options.newton.paper().step_length = 1.0;
  return options;
}

TEST(Prototype, FreeFlightIsExactForAnyNumberOfIterations) {
  for (const int iterations : {1, 2, 4, 6, 8}) {
    SimulationOptions options = test::with_preset("paper");
    options.newton.max_iterations = iterations;
    World world;
    Body body;
    body.mass = 1.0;
    body.inertia = identity<3>();
    body.velocity = {10.0, 0.0, 0.0};
    world.add_body(body);
    // Something that touches, so that the driver runs.
    Simulation simulation(std::move(world), options, standard_backends());
    test::advance(simulation, 120);
    EXPECT_NEAR(simulation.world().body(0).velocity[0], 10.0, 1e-9);
  }
}

TEST(Prototype, SlideStopsAtTheDiscreteDistance) {
  // Alart-Curnier 1.5e-12, row-scaled Fischer-Burmeister 5e-10 in the prototype; 1e-6 asked.
  SimulationOptions row = warm_row_scaled(NcpKind::kFischerBurmeister, test::direct_solver(), 0);
  row.newton.paper().damping = Damping::kAdaptive;
  row.newton.paper().best_iterate = true;
  row.newton.max_iterations = 50;
  row.newton.tolerance = 1e-9;
  for (const SimulationOptions& options :
       {alart_curnier(FrictionKind::kAlartCurnier), row, test::with_preset("realtime"),
        test::with_preset("accurate")}) {
    auto simulation = simulate("sliding-box", {}, options);
    test::advance(simulation, 120);
    EXPECT_NEAR(simulation.world().body(1).position[0], 0.904971875, 1e-6)
        << method_name(options.newton);
  }
}

/// Distance slid in one second from rest on four redundant contacts, mu = 0.5.
double slid(double share_of_mu, const SimulationOptions& options) {
  auto simulation =
      simulate("box-on-incline", {{"slope", std::to_string(0.5 * share_of_mu)}}, options);
  const Vec3 start = simulation.world().body(1).position;
  test::advance(simulation, 120);
  return norm(simulation.world().body(1).position - start);
}

/// h^2 a n (n + 1) / 2 with a = g (sin - mu cos).
double exact_slide(double share_of_mu) {
  const double angle = std::atan(0.5 * share_of_mu);
  const double a = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
  return share_of_mu <= 1.0 ? 0.0 : 0.5 * a * 120.0 * 121.0 / (120.0 * 120.0);
}

TEST(Prototype, InclineOnFourRedundantContacts) {
  for (const SimulationOptions& options :
       {alart_curnier(FrictionKind::kAlartCurnier),
        alart_curnier(FrictionKind::kAlartCurnierSymmetric), test::with_preset("realtime"),
        test::with_preset("accurate")}) {
    SCOPED_TRACE(method_name(options.newton));
    EXPECT_LE(slid(0.99, options), 1e-6);
    EXPECT_NEAR(slid(1.01, options), exact_slide(1.01), 1e-5);
    EXPECT_NEAR(slid(1.10, options), exact_slide(1.10), 1e-4);
  }
  EXPECT_NEAR(exact_slide(1.01), 2.207e-2, 1e-5);
  EXPECT_NEAR(exact_slide(1.10), 2.167e-1, 1e-4);
}

TEST(SmoothedFriction, SlidesAndCreepsAsItsLawSays) {
  SimulationOptions options = alart_curnier(FrictionKind::kSmoothed);
  options.newton.linear = {test::direct_solver()};
  // F (v / v_s) / sqrt(1 + (v / v_s)^2) = m g sin: v = v_s / sqrt(1 / 0.99^2 - 1) = 7.0 v_s, and
  // slower at first.
  const double creep = 7.018 * options.newton.paper().smoothing;
  EXPECT_LT(slid(0.99, options), 1.01 * creep);
  EXPECT_GT(slid(0.99, options), 0.5 * creep);
  // At 1.10 mu its force is Coulomb's but for the start.
  EXPECT_NEAR(slid(1.10, options), exact_slide(1.10), 2e-3);
}

class WarmRowScaled : public testing::TestWithParam<NcpKind> {};

TEST_P(WarmRowScaled, HoldsTheHeavyStackFor200Steps) {
  auto simulation = simulate("heavy-stack", {}, warm_row_scaled(GetParam(), "pcr", 20));
  double penetration = 0.0;
  for (int k = 0; k < 200; ++k) penetration = std::max(penetration, simulation.step().penetration);
  double drift = 0.0;
  for (int b = 1; b <= 5; ++b) {
    drift = std::max(drift, norm(simulation.world().body(b).position - Vec3{0, 0, b - 0.5}));
  }
  EXPECT_LE(penetration, 2e-4);
  EXPECT_LE(drift, 1e-6);
}

TEST_P(WarmRowScaled, HoldsTheArchFor300Steps) {
  auto simulation =
      simulate("arch", {{"contacts", "given"}}, warm_row_scaled(GetParam(), "pcr", 20));
  const double height = simulation.world().body(10).position[2];
  test::advance(simulation, 300);
  EXPECT_LE(std::abs(height - simulation.world().body(10).position[2]), 2e-4);
}
INSTANTIATE_TEST_SUITE_P(Ncp, WarmRowScaled,
                         testing::Values(NcpKind::kMinimumMap, NcpKind::kFischerBurmeister),
                         [](const auto& ncp) {
                           return ncp.param == NcpKind::kMinimumMap ? "minimum" : "fischer";
                         });

using ColdCase = std::tuple<const char*, NcpKind, const char*>;
class ColdStep : public testing::TestWithParam<ColdCase> {};

TEST_P(ColdStep, Reaches1e8In22Iterations) {
  // t = 0.75: each iteration leaves a quarter of the error, 1e-8 of 3 m/s takes 14 at least.
  const auto& [scene, ncp, linear] = GetParam();
  SimulationOptions options = test::with_preset("paper");
  options.newton.paper().ncp = ncp;
  options.newton.linear = {std::string(linear) == "direct" ? test::direct_solver() : linear};
  options.newton.paper().linear_iterations = std::string(linear) == "direct" ? 0 : 40;
  options.newton.max_iterations = 22;
  auto simulation = simulate(scene, {}, options);
  EXPECT_LT(simulation.step().error.total, 1e-8);
}
INSTANTIATE_TEST_SUITE_P(Scenes, ColdStep,
                         testing::Combine(testing::Values("cylinder-ring", "four-leg-table"),
                                          testing::Values(NcpKind::kMinimumMap,
                                                          NcpKind::kFischerBurmeister),
                                          testing::Values("direct", "pcr")));

TEST(Prototype, OneColdRestStepOfTheHeavyStackConvergesWithin25Iterations) {
  for (const NcpKind ncp : {NcpKind::kMinimumMap, NcpKind::kFischerBurmeister}) {
    SimulationOptions options = test::with_preset("paper");
    options.newton.linear = {test::direct_solver()};
    options.newton.paper().linear_iterations = 0;
    options.newton.paper().ncp = ncp;
    options.newton.max_iterations = 25;
    auto simulation = simulate("heavy-stack", {}, options);
    EXPECT_LT(simulation.step().error.total, 1e-8);
  }
}

}  // namespace
}  // namespace nsn
