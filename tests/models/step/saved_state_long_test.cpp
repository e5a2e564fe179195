// Every golden run goes on from a state that was saved at a third of it, bit by bit.
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench/support/run_hash.h"
#include "nsn/core/base/options.h"
#include "tests/support/simulate.h"

namespace nsn {
namespace {

struct GoldenRun {
  std::string scene, preset;
  Options::Assignments parameters;
  int steps = 0;
};

std::vector<GoldenRun> golden_runs() {
  std::ifstream file(NSN_GOLDEN_SCENES);
  std::vector<GoldenRun> runs;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("scene,")) continue;
    std::istringstream cells(line);
    std::string parameters, steps;
    GoldenRun run;
    std::getline(cells, run.scene, ',');
    std::getline(cells, parameters, ',');
    std::getline(cells, run.preset, ',');
    std::getline(cells, steps, ',');
    run.steps = std::stoi(steps);
    std::istringstream words(parameters);
    for (std::string word; words >> word;) run.parameters.push_back(parse_assignment(word));
    runs.push_back(run);
  }
  return runs;
}

std::string rest_of(Simulation& simulation, const GoldenRun& run) {
  bench::RunHash hash;
  for (int k = run.steps / 3; k < run.steps; ++k) {
    simulation.step();
    hash.add(simulation);
  }
  return hash.text();
}

TEST(SavedState, OfEveryGoldenRun) {
  int compared = 0;
  for (const GoldenRun& run : golden_runs()) {
    const auto make = [&] {
      return test::simulate(run.scene, run.parameters, test::with_preset(run.preset));
    };
    try {
      Simulation whole = make();
      for (int k = 0; k < run.steps / 3; ++k) whole.step();
      Simulation other = make();
      other.set_state(whole.state());
      EXPECT_EQ(rest_of(other, run), rest_of(whole, run)) << run.scene << ", " << run.preset;
      ++compared;
    } catch (const std::invalid_argument& error) {  // a public file that is not here
      EXPECT_NE(std::string(error.what()).find("file"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(compared, 140);
}

}  // namespace
}  // namespace nsn
