// A run that goes on from a saved state is the uninterrupted one, bit by bit.
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/support/run_hash.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

struct Case {
  const char* scene;
  Options::Assignments parameters;
  int steps;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.scene;
}

std::string hash_of(Simulation& simulation, int steps) {
  bench::RunHash hash;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    hash.add(simulation);
  }
  return hash.text();
}

class SavedState : public testing::TestWithParam<Case> {};

TEST_P(SavedState, GoesOnBitByBit) {
  const Case& one = GetParam();
  for (const char* preset : {"accurate", "realtime", "paper"}) {
    SCOPED_TRACE(preset);
    Simulation whole = test::simulate(one.scene, one.parameters, test::with_preset(preset));
    for (int k = 0; k < one.steps / 3; ++k) whole.step();
    const std::string state = whole.state();
    const std::string expected = hash_of(whole, one.steps - one.steps / 3);

    Simulation other = test::simulate(one.scene, one.parameters, test::with_preset(preset));
    other.set_state(state);
    EXPECT_EQ(other.state(), state);
    EXPECT_EQ(hash_of(other, one.steps - one.steps / 3), expected) << "in another simulation";

    whole.set_state(state);
    EXPECT_EQ(hash_of(whole, one.steps - one.steps / 3), expected) << "in the same simulation";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, SavedState,
                         testing::Values(Case{"arch", {}, 60}, Case{"card-house", {}, 60},
                                         Case{"mesh-pile", {{"stones", "8"}}, 180},
                                         Case{"table-pile", {}, 120}, Case{"bridge", {}, 60},
                                         Case{"beam-insertion", {}, 60},
                                         Case{"soft-ball-drop", {}, 45}, Case{"pneunet", {}, 21},
                                         Case{"humanoids", {{"count", "2"}}, 60},
                                         Case{"rolling-resistance", {}, 60},
                                         Case{"slider-crank", {}, 60}, Case{"cantilever", {}, 30}));

std::string refusal(Simulation& simulation, const std::string& state) {
  try {
    simulation.set_state(state);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(SavedState, RefusesWhatIsNoStateOfThisWorldAndChangesNothing) {
  Simulation simulation = test::simulate("arch");
  for (int k = 0; k < 5; ++k) simulation.step();
  const std::string state = simulation.state();
  EXPECT_NE(refusal(simulation, "").find("none of nsn's"), std::string::npos);
  EXPECT_NE(refusal(simulation, "#!/bin/sh").find("none of nsn's"), std::string::npos);
  EXPECT_NE(refusal(simulation, state.substr(0, 12)).find("ends after 12 bytes"),
            std::string::npos);
  for (const std::size_t kept : {state.size() / 2, state.size() - 1}) {
    EXPECT_NE(refusal(simulation, state.substr(0, kept)).find("damaged or cut off"),
              std::string::npos);
  }
  std::string flipped = state;
  flipped[state.size() / 2] = static_cast<char>(flipped[state.size() / 2] ^ 1);
  EXPECT_NE(refusal(simulation, flipped).find("damaged"), std::string::npos);
  std::string newer = state;
  newer[9] = 7;
  EXPECT_NE(refusal(simulation, newer).find("version 7, this nsn reads version 1"),
            std::string::npos);
  Simulation other = test::simulate("wall");
  EXPECT_NE(refusal(other, state).find("of another world: 21 bodies, here "), std::string::npos)
      << refusal(other, state);
  EXPECT_EQ(simulation.state(), state);
}

}  // namespace
}  // namespace nsn
