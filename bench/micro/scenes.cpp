// What a step of the large rigid scenes costs, one thread, every preset in turn:
//
//   build/release/bin/nsn_bench_scenes [REPEATS [SCENE ...]]
//
// Every preset simulates the scene REPEATS times (3), the presets in turn; the trajectories are the
// same every time, so each step counts with the shortest of its times. Medians over the steps.
// Times are processor time: that of the step, shared out by the wall-clock times of its parts.
// error: of the fully implicit step, m/s; detect: share of detection in detect + assemble + solve.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/table.h"
#include "bench/support/quantile.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/runtime.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn {
namespace {

/// By steps.
struct Times {
  std::vector<double> detect, assemble, solve, error;
  int coarse = 0;  ///< steps of an error above 1e-8 m/s, of one repeat
  int contacts = 0;
};

void keep_shortest(std::vector<double>& times, std::size_t step, double seconds) {
  if (step == times.size()) times.push_back(seconds);
  times[step] = std::min(times[step], seconds);
}

void simulate(const std::string& scene, const std::string& preset, Times& times) {
  SimulationOptions options;
  options.newton = newton_preset(preset);
  Simulation simulation(make_scene(scene), options, standard_backends());
  const auto steps = static_cast<std::size_t>(scene_info(scene).default_steps);
  times.error.clear();
  times.coarse = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const std::clock_t start = std::clock();
    const StepReport& report = simulation.step();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const double share =
        seconds / (report.detect_seconds + report.assemble_seconds + report.solve_seconds);
    keep_shortest(times.detect, k, share * report.detect_seconds);
    keep_shortest(times.assemble, k, share * report.assemble_seconds);
    keep_shortest(times.solve, k, share * report.solve_seconds);
    times.error.push_back(report.error.total);
    times.coarse += report.error.total <= 1e-8 ? 0 : 1;
    times.contacts = std::max(times.contacts, report.contacts);
  }
}

double sum(const std::vector<double>& values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

void measure(const std::string& scene, int repeats, cli::Table& table) {
  const std::vector<std::string>& presets = preset_names();
  std::vector<Times> times(presets.size());
  for (int r = 0; r < repeats; ++r) {
    for (std::size_t p = 0; p < presets.size(); ++p) simulate(scene, presets[p], times[p]);
  }
  for (std::size_t p = 0; p < presets.size(); ++p) {
    const Times& t = times[p];
    const double detect = sum(t.detect);
    const double all = detect + sum(t.assemble) + sum(t.solve);
    table.add({scene, presets[p], cli::count_text(t.contacts),
               fmt::format("{:.2f}", 1e3 * bench::median(t.solve)),
               fmt::format("{:.2f}", 1e3 * bench::quantile(t.solve, 0.95)),
               cli::residual_text(bench::median(t.error)),
               cli::residual_text(bench::quantile(t.error, 0.95)),
               fmt::format("{} of {}", t.coarse, t.error.size()), cli::percent_text(detect / all)});
  }
  table.add_gap();
}

}  // namespace
}  // namespace nsn

int main(int argc, char** argv) {
  const nsn::Runtime runtime(1);
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  std::vector<std::string> scenes(argv + std::min(argc, 2), argv + argc);
  if (scenes.empty()) scenes = {"table-pile", "beam-insertion"};
  using nsn::cli::Align;
  nsn::cli::Table table({{"scene"},
                         {"preset"},
                         {"contacts", Align::kRight},
                         {"solve ms", Align::kRight},
                         {"95 %", Align::kRight},
                         {"error m/s", Align::kRight},
                         {"95 %", Align::kRight},
                         {"above 1e-8", Align::kRight},
                         {"detect", Align::kRight}});
  for (const std::string& scene : scenes) nsn::measure(scene, repeats, table);
  fmt::print("{}", table.text());
  return 0;
}
