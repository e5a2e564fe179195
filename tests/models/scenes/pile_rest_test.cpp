// Piles come to rest and stay there (label long: minutes).
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

/// Runs until no body is faster than 1e-6 m/s, at most `steps`; then 10 s more.
void expect_rest(const std::string& scene, const Options::Assignments& parameters, int steps) {
  Simulation simulation(make_scene(scene, parameters), {}, standard_backends());
  int rough = 0;
  int taken = 0;
  const auto step = [&] {
    const StepReport& report = simulation.step();
    rough += report.error.total > 1e-8 ? 1 : 0;
    ++taken;
    return report.speed;
  };
  int still = 0;  // rest is ten slow steps: a body at the top of its flight is slow for one
  while (taken < steps && still < 10) still = step() < 1e-6 ? still + 1 : 0;
  ASSERT_EQ(still, 10) << scene << ": not at rest after " << taken << " steps";
  for (int k = 0; k < 1200; ++k) ASSERT_LT(step(), 1e-6) << scene << ", " << k << " steps later";
  EXPECT_LT(rough, 0.005 * taken) << scene << ": steps with an error above 1e-8 m/s of " << taken;
  testing::Test::RecordProperty(scene + "_steps_above_1e-8", rough);
  testing::Test::RecordProperty(scene + "_steps", taken);
}

TEST(PileAtRest, CardHouse) {
  expect_rest("card-house", {}, 60);
}

TEST(PileAtRest, Dominoes) {
  expect_rest("domino", {}, 600);
}

TEST(PileAtRest, Tables) {
  expect_rest("table-pile", {}, 1200);
}

TEST(PileAtRest, Capsules) {
  expect_rest("capsule-pile", {}, 1200);
}

TEST(PileAtRest, TwoHundredCapsules) {
  expect_rest("capsule-pile", {{"capsules", "200"}}, 1200);
}

TEST(PileAtRest, Stones) {
  expect_rest("mesh-pile", {}, 1200);
}

}  // namespace
}  // namespace nsn
