// Scenes of robots for twenty seconds, with a direct and with an iterative linear solver: minutes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/cabinets.h"
#include "tests/support/grasp.h"
#include "tests/support/robot_models.h"

namespace nsn {
namespace {

constexpr int kSteps = 2400;   // of 1/120 s
constexpr int kSettled = 600;  // the hand has turned over

struct Seen {
  int coarse = 0;  ///< steps above 1e-6 m/s
  double worst = 0.0;
  double distance = 0.0;
  double limit = 0.0;
};

void advance(Simulation& simulation, int steps, Seen& seen) {
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    seen.coarse += report.error.total <= 1e-6 ? 0 : 1;  // NaN counts
    seen.worst = std::max(seen.worst, report.error.total);
    seen.distance = std::max(seen.distance, report.drift.distance);
    seen.limit = std::max(seen.limit, report.drift.limit_excess);
  }
}

struct Case {
  const char* name;
  const char* scene;
  Options::Assignments parameters;
  const char* linear;
};

/// What a scene was about, after twenty seconds.
void check_outcome(const std::string& scene, const Simulation& simulation) {
  if (scene == "arm-tomato") {
    EXPECT_NEAR(test::scale_reading(simulation) / test::weight(simulation), 1.0, 0.01);
  }
  if (scene == "yumi-cabinet") {
    const std::vector<double> openings = test::openings(simulation);
    const auto open =
        std::count_if(openings.begin(), openings.end(), [](double x) { return x >= 0.15; });
    EXPECT_GE(static_cast<double>(open), 0.95 * static_cast<double>(openings.size()));
    std::printf("%d of %zu cabinets open\n", static_cast<int>(open), openings.size());
  }
  if (scene == "arm-beam") {
    int piece = 0;
    for (const ConstBodyRef body : simulation.world().bodies()) {
      if (body.mass != 0.003) continue;
      // The arm leaves it 10 mm off the bottom; 0.5 mm is half the clearance.
      EXPECT_NEAR(body.position[1], -0.86 + 0.04 * piece++, 2e-3);
      EXPECT_NEAR(body.position[0], 0.55, 1e-3);
      EXPECT_NEAR(body.position[2], 0.64, 1e-3);
    }
    EXPECT_EQ(piece, 16);
  }
}

void PrintTo(const Case& given, std::ostream* out) {
  *out << given.scene << " with " << given.linear;
}

class TwentySeconds : public testing::TestWithParam<Case> {};

TEST_P(TwentySeconds, JointsAndLimitsHoldAndStepsConverge) {
  const Case& given = GetParam();
  for (const auto& [key, value] : given.parameters) {
    if (key == "file") NSN_NEED_PUBLIC_DATA("robots/" + value);
  }
  SimulationOptions options;
  options.newton.linear = {given.linear};
  Simulation simulation(make_scene(given.scene, given.parameters), options, standard_backends());

  const bool ball = std::string(given.scene) == "allegro-ball";
  Seen seen;
  advance(simulation, kSettled, seen);
  const Vec3 before = ball ? test::ball_in(simulation, "palm") : Vec3{};
  advance(simulation, kSteps - kSettled, seen);

  std::printf(
      "%-20s %d of %d steps above 1e-6 m/s (largest %.1e), joints %.1e m, limits %.1e rad\n",
      given.name, seen.coarse, kSteps, seen.worst, seen.distance, seen.limit);
  EXPECT_LT(seen.coarse, kSteps / 100);
  EXPECT_LT(seen.distance, 1e-6);
  EXPECT_LT(seen.limit, 1e-4);
  for (const ConstBodyRef body : simulation.world().bodies())
    ASSERT_TRUE(std::isfinite(norm(body.position)));
  check_outcome(given.scene, simulation);
  if (!ball) return;
  EXPECT_LT(test::height_over(simulation, "palm"), -0.03);  // upside down
  EXPECT_LT(norm(test::ball_in(simulation, "palm") - before), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, TwentySeconds,
    testing::Values(Case{"ball_direct", "allegro-ball", {}, "contact-lu"},
                    Case{"ball_gmres", "allegro-ball", {}, "gmres"},
                    Case{"humanoids_direct", "humanoids", {{"count", "4"}}, "contact-lu"},
                    Case{"humanoids_gmres", "humanoids", {{"count", "4"}}, "gmres"},
                    Case{"tomato_direct", "arm-tomato", {}, "contact-lu"},
                    Case{"tomato_gmres", "arm-tomato", {}, "gmres"},
                    Case{"beam_direct", "arm-beam", {}, "contact-lu"},
                    Case{"beam_gmres", "arm-beam", {}, "gmres:precond=block-ilu"},
                    Case{"grasp_direct", "allegro-grasp", {}, "contact-lu"},
                    Case{"grasp_gmres", "allegro-grasp", {}, "gmres:precond=block-ilu"},
                    Case{"cabinets_direct", "yumi-cabinet", {{"count", "20"}}, "contact-lu"},
                    Case{"cabinets_gmres", "yumi-cabinet", {{"count", "20"}}, "gmres"},
                    Case{"ragdolls_direct", "ragdolls", {{"count", "4"}}, "contact-lu"},
                    Case{
                        "ragdolls_gmres", "ragdolls", {{"count", "4"}}, "gmres:precond=block-ilu"}),
    [](const auto& p) { return std::string(p.param.name); });

INSTANTIATE_TEST_SUITE_P(
    PublicRobots, TwentySeconds,
    testing::Values(
        Case{"public_ball_direct", "allegro-ball", {{"file", test::kPublicHand}}, "contact-lu"},
        Case{"public_humanoids_direct",
             "humanoids",
             {{"count", "4"}, {"file", test::kPublicHumanoid}},
             "contact-lu"},
        Case{"public_grasp_direct", "allegro-grasp", {{"file", test::kPublicHand}}, "contact-lu"},
        Case{"public_cabinets_direct",
             "yumi-cabinet",
             {{"count", "20"}, {"file", test::kPublicArms}},
             "contact-lu"},
        Case{"public_ragdolls_direct",
             "ragdolls",
             {{"count", "4"}, {"file", test::kPublicHumanoid}},
             "contact-lu"}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace nsn
