// What a program does before and after every step.
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace nsn {
namespace {

TEST(Callbacks, SeeTheStartAndTheEndOfEveryStep) {
  for (const char* preset : {"accurate", "realtime", "paper"}) {
    SCOPED_TRACE(preset);
    Simulation simulation = test::simulate("sliding-box", {}, test::with_preset(preset));
    std::vector<double> before;
    std::vector<double> after;
    simulation.before_step([&](Simulation& s) { before.push_back(s.world().time); });
    simulation.after_step([&](Simulation& s) {
      after.push_back(s.world().time);
      EXPECT_FALSE(s.contacts().empty());
    });
    for (int k = 0; k < 3; ++k) simulation.step();
    const double h = simulation.options().h;
    ASSERT_EQ(before.size(), 3U);
    ASSERT_EQ(after.size(), 3U);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(before[static_cast<std::size_t>(k)], k * h, 1e-15);
      EXPECT_NEAR(after[static_cast<std::size_t>(k)], (k + 1) * h, 1e-15);
    }
    simulation.after_step({});
    simulation.step();
    EXPECT_EQ(after.size(), 3U);
  }
}

TEST(Callbacks, AForceSetBeforeTheStepActsInIt) {
  Simulation simulation = test::simulate("sliding-box", {{"mu", "0"}, {"speed", "0"}});
  simulation.before_step([](Simulation& s) { s.world().body(1).force = {1.0, 0.0, 0.0}; });
  simulation.step();
  const double h = simulation.options().h;
  EXPECT_NEAR(simulation.world().body(1).velocity[0], h / simulation.world().body(1).mass, 1e-9);
}

TEST(Callbacks, OneThatThrowsStopsTheStep) {
  Simulation simulation = test::simulate("sliding-box", {});
  const std::string start = simulation.state();
  simulation.before_step([](Simulation&) { throw std::runtime_error("no"); });
  EXPECT_THROW(simulation.step(), std::runtime_error);
  EXPECT_EQ(simulation.state(), start);
}

}  // namespace
}  // namespace nsn
