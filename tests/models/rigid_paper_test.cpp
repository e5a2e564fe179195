// The paper's claims in closed loop, one thing changed at a time, and the realtime step's promises.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

using test::simulate;

struct Outcome {
  double displacement = 0.0;
  double penetration = 0.0;
  double error_max = 0.0;
};

Outcome closed_loop(const std::string& scene, const SimulationOptions& options, int steps) {
  auto simulation = simulate(scene, {}, options);
  const std::vector<Body> start = simulation.world().bodies();
  Outcome out;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    out.penetration = std::max(out.penetration, report.penetration);
    out.error_max = std::max(out.error_max, report.error.total);
  }
  for (std::size_t b = 0; b < start.size(); ++b) {
    const Vec3 moved = simulation.world().bodies()[b].position - start[b].position;
    out.displacement = std::max(out.displacement, norm(moved));
  }
  return out;
}

/// Without the final projection, which is not the paper's: on the heavy stack its two passes
/// diverge (h r_N L / I > 1 for the light box).
SimulationOptions paper(const std::string& linear = "pcr", int iterations = 20) {
  SimulationOptions options = test::with_preset("paper");
  options.newton.final_projection = false;
  options.newton.linear = {linear};
  const bool direct = standard_backends().info(linear).capabilities.direct;
  options.newton.linear_iterations = direct ? 0 : iterations;
  return options;
}

SimulationOptions paper_direct() {
  return paper(test::direct_solver());
}

TEST(PaperClaims, EffectiveMassHoldsTheHeavyStackWhereIdentityAndTimeStepDoNot) {
  const Outcome effective = closed_loop("heavy-stack", paper_direct(), 100);
  SimulationOptions identity = paper_direct();
  identity.complementarity.scaling = ComplementarityScaling::kIdentity;
  SimulationOptions time_step = paper_direct();
  time_step.complementarity.scaling = ComplementarityScaling::kTimeStep;

  EXPECT_LT(effective.displacement, 1e-2);
  EXPECT_GT(closed_loop("heavy-stack", identity, 100).displacement, 10 * effective.displacement);
  EXPECT_GT(closed_loop("heavy-stack", time_step, 100).displacement, 10 * effective.displacement);
}

TEST(PaperClaims, EffectiveMassDriftsLeastOnTheArch) {
  const double effective = closed_loop("arch", paper_direct(), 60).displacement;
  SimulationOptions identity = paper_direct();
  identity.complementarity.scaling = ComplementarityScaling::kIdentity;
  SimulationOptions time_step = paper_direct();
  time_step.complementarity.scaling = ComplementarityScaling::kTimeStep;
  EXPECT_GT(closed_loop("arch", identity, 60).displacement, 3 * effective);
  EXPECT_GT(closed_loop("arch", time_step, 60).displacement, 2 * effective);
}

TEST(PaperClaims, RelaxationMethodsCollapseOnTheHeavyStackWhereKrylovAndDirectHold) {
  EXPECT_LT(closed_loop("heavy-stack", paper("pcr"), 100).displacement, 1e-2);
  EXPECT_LT(closed_loop("heavy-stack", paper_direct(), 100).displacement, 1e-2);
  // Penetration beyond a centimetre: the light box is crushed.
  EXPECT_GT(closed_loop("heavy-stack", paper("gauss-seidel"), 100).penetration, 1e-2);
  EXPECT_GT(closed_loop("heavy-stack", paper("jacobi"), 100).penetration, 1e-2);
}

TEST(Prototype, WarmRowScaledNewtonHoldsTheHeavyStackAndTheArch) {
  SimulationOptions options = paper("pcr", 20);
  options.newton.ncp = NcpKind::kMinimumMap;
  options.newton.form = NcpForm::kRowScaled;
  options.newton.warm_start = true;
  options.newton.start = StartingIterate::kPrevious;

  const Outcome stack = closed_loop("heavy-stack", options, 200);
  EXPECT_LE(stack.displacement, 1e-6);
  EXPECT_LE(stack.penetration, 2e-4);
  EXPECT_LE(closed_loop("arch", options, 300).displacement, 2e-4);
}

TEST(Prototype, OneColdRestStepOfTheHeavyStackConverges) {
  for (const NcpKind ncp : {NcpKind::kMinimumMap, NcpKind::kFischerBurmeister}) {
    SimulationOptions options = paper_direct();
    options.newton.ncp = ncp;
    options.newton.max_iterations = 25;
    auto simulation = simulate("heavy-stack", {}, options);
    EXPECT_LT(simulation.step().error.total, 1e-8);
  }
}

TEST(Formulations, StiffnessAndComplianceGiveTheSameStep) {
  // Both solve the same regularised Newton system; 1e-6 is what the regularisation leaves.
  SimulationOptions options = paper_direct();
  options.newton.max_iterations = 30;
  auto compliance = simulate("sliding-box", {}, options);
  options.newton.formulation = Formulation::kStiffness;
  auto stiffness = simulate("sliding-box", {}, options);

  for (int k = 0; k < 5; ++k) {
    compliance.step();
    stiffness.step();
  }

  const Vec3 difference = compliance.world().body(1).velocity - stiffness.world().body(1).velocity;
  EXPECT_LT(norm(difference), 1e-6);
}

class RealtimeScenes : public testing::TestWithParam<const char*> {};

TEST_P(RealtimeScenes, KeepsItsPromises) {
  for (const int factorizations : {4, 10}) {
    SimulationOptions options = test::with_preset("realtime");
    options.newton.max_iterations = factorizations;
    auto simulation = simulate(GetParam(), {}, options);
    double energy_before = energy(simulation.world());
    for (int k = 0; k < 30; ++k) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(std::isfinite(report.energy));
      ASSERT_LE(report.newton_iterations, factorizations);
      // A step may gain what gravity does within it by first-order rounding of the path.
      const double mass_gh = 1e-9 * std::abs(energy_before) + 1e-9;
      ASSERT_LE(report.energy - report.work_external, energy_before + mass_gh) << "step " << k;
      energy_before = report.energy;
      for (int c = 0; c < simulation.contacts().size(); ++c) {
        const Contact& contact = simulation.contacts().contacts()[static_cast<std::size_t>(c)];
        const Vec3 r = simulation.contact_impulse(c);
        const double normal = dot(r, contact.normal);
        const double tangential = norm(r - normal * contact.normal);
        ASSERT_GE(normal, -1e-12);
        ASSERT_LE(tangential, contact.mu * normal * (1.0 + 1e-9) + 1e-12);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Scenes, RealtimeScenes,
                         testing::Values("sliding-box", "box-on-incline", "heavy-stack", "arch",
                                         "sliding-stack", "cylinder-ring", "harmonic-stack"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Realtime, HandsOverWhereAskedAndSaysSo) {
  SimulationOptions options = test::with_preset("realtime");
  options.newton.max_iterations = 1;
  options.newton.hand_over = true;
  auto simulation = simulate("sliding-stack", {{"seed", "3"}}, options);
  bool handed_over = false;
  for (int k = 0; k < 20; ++k) handed_over = simulation.step().handed_over || handed_over;
  EXPECT_TRUE(handed_over);
}

}  // namespace
}  // namespace nsn
