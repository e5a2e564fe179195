// Many small worlds at once against one after the other, in the paper's method on one thread:
//
//   build/release/bin/nsn_bench_worlds [WORLDS [REPEATS]]
//
// One step of WORLDS (512) piles of 8 balls, each of another seed, held after half a second: a launch
// of one team per world (core/step/paper/step_batch.h), and a loop of single solves. Processor time, the
// two in turn, the least of REPEATS (20). Exit code 1 unless both give the same bits.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/step/devices.h"
#include "nsn/core/step/newton.h"
#include "nsn/core/step/paper/step_batch.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

/// The worlds, and the island each is held at.
struct Worlds {
  std::vector<std::unique_ptr<Simulation>> simulations;
  std::vector<State> states;
  std::vector<IslandStep> islands;
  std::vector<IslandStep*> all;
};

Worlds hold(int count) {
  Worlds out;
  std::vector<StepEquations*> equations(to_size(count));
  for (int k = 0; k < count; ++k) {
    SimulationOptions options;
    options.newton = newton_preset("paper");
    options.islands = false;
    const Options::Assignments parameters{{"balls", "8"}, {"seed", std::to_string(k)}};
    out.simulations.push_back(std::make_unique<Simulation>(make_scene("sphere-pile", parameters),
                                                           options, standard_backends()));
    Simulation& simulation = *out.simulations.back();
    for (int step = 0; step < 59; ++step) simulation.step();
    simulation.inspect([&equations, k](int, StepEquations& island, const NewtonResult&) {
      equations[to_size(k)] = &island;
    });
    simulation.step();
  }
  for (StepEquations* const one : equations) {
    const System& system = one->system();
    out.states.push_back(
        {Vector("u", to_size(system.dofs())), Vector("r", to_size(system.rows()))});
  }
  for (std::size_t k = 0; k < equations.size(); ++k) {
    out.islands.push_back({equations[k], &out.states[k], false, {}});
  }
  for (IslandStep& one : out.islands) out.all.push_back(&one);
  return out;
}

template <class Body>
double seconds(const Body& body) {
  const std::clock_t start = std::clock();
  body();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::vector<double> answers(const Worlds& worlds) {
  std::vector<double> all;
  for (const State& state : worlds.states) {
    all.insert(all.end(), state.u.data(), state.u.data() + state.u.extent(0));
    all.insert(all.end(), state.r.data(), state.r.data() + state.r.extent(0));
  }
  return all;
}

int compare(int count, int repeats) {
  Worlds worlds = hold(count);
  NewtonOptions options = newton_preset("paper");
  options.device = "serial";
  StepBatch<SerialDevice, double> batch(options, standard_backends());
  NewtonSolver single(options, standard_backends());
  double together = 1e9;
  double apart = 1e9;
  bool same = true;
  for (int k = 0; k < repeats; ++k) {
    together = std::min(together, seconds([&] { batch.solve(worlds.all, true); }));
    const std::vector<double> first = answers(worlds);
    apart = std::min(apart, seconds([&] { single.solve_all(worlds.islands); }));
    const std::vector<double> second = answers(worlds);
    same = same && std::memcmp(first.data(), second.data(), 8 * first.size()) == 0;
  }
  fmt::print(
      "{} worlds of 8 bodies, {} rows: one launch {:.2f} ms, one after the other {:.2f} ms, "
      "ratio {:.2f}, {}\n",
      count, worlds.islands[0].equations->system().rows(), 1e3 * together, 1e3 * apart,
      together / apart, same ? "the same bits" : "different answers");
  return same ? 0 : 1;
}

}  // namespace
}  // namespace nsn

int main(int argc, char** argv) {
  const nsn::Runtime runtime(1);
  return nsn::compare(argc > 1 ? std::max(1, std::atoi(argv[1])) : 512,
                      argc > 2 ? std::max(1, std::atoi(argv[2])) : 20);
}
