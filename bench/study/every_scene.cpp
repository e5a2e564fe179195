// Every scene: size, iterations, times.
#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "bench/study/scene_run.h"
#include "bench/study/study.h"

namespace nsn::study {
namespace {

constexpr double kSecondsPerRun = 4.0;  // large scenes stop there: medians of fewer steps

Row measure(const SceneInfo& scene, const std::string& preset, int steps) {
  Simulation simulation = simulate(make_scene(scene.name), preset);
  const bench::RunMeasures run = run_for(simulation, steps, kSecondsPerRun);
  const Row all = run.row(simulation);
  const auto coarse =
      std::count_if(run.error.begin(), run.error.end(), [](double e) { return !(e <= 1e-6); });
  return {{"scene", scene.name},
          {"preset", preset},
          {"bodies", simulation.world().num_bodies()},
          {"joints", all.at("joints")},
          {"tets", num_tets(simulation.world())},
          {"contacts", all.at("contacts_max")},
          {"steps", all.at("steps")},
          {"newton_iterations_mean", all.at("newton_iterations_mean")},
          {"assembly_ms_median",
           all.at("detect_ms_median").get<double>() + all.at("assemble_ms_median").get<double>()},
          {"solve_ms_median", all.at("solve_ms_median")},
          {"error_mps_median", all.at("error_median_mps")},
          {"steps_above_1e-6_mps", coarse}};
}

}  // namespace

StudyOutcome scenes_study(const StudyOptions& options) {
  StudyOutcome out{.name = "scenes",
                   .title = "Every scene",
                   .question = "How large is each scene, and what do its first steps cost?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  int solved = 0;
  options.pieces(2 *
                 static_cast<std::size_t>(std::ranges::count_if(
                     scenes(), [](const SceneInfo& one) { return cannot_be_made(one).empty(); })));
  for (const SceneInfo& scene : scenes()) {
    const std::string missing = cannot_be_made(scene);
    if (!missing.empty()) {
      out.findings.push_back(fmt::format("Not run: {}.", missing));
      continue;
    }
    for (const std::string preset : {"accurate", "realtime"}) {
      options.progress(scene.name + " · " + preset);
      const int steps = std::min(scene.default_steps, options.quick ? 20 : 120);
      const Row row = measure(scene, preset, steps);
      if (preset == "accurate" && row.at("steps_above_1e-6_mps") == 0) ++solved;
      options.add(out, row);
    }
  }
  out.findings.push_back(
      fmt::format("The default preset solves every step to 1e-6 m/s in {} of {} scenes.", solved,
                  scenes().size()));
  return out;
}

}  // namespace nsn::study
