// Every scene: size, iterations, times; the paper's Table 1 for our scenes.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "backends/standard_backends.h"
#include "bench/study/study.h"
#include "bench/support/run_measures.h"
#include "models/presets.h"
#include "models/scenes/scene.h"
#include "models/simulation.h"

namespace nsn::study {
namespace {

/// Solve times the paper gives for scenes we have too, on its GPU, ms a step.
double paper_solve_ms(const std::string& scene) {
  if (scene == "arch") return 7.75;
  if (scene == "table-pile") return 3.7;
  if (scene == "beam-insertion" || scene == "arm-beam") return 18.6;
  if (scene == "allegro-grasp") return 10.0;
  if (scene == "allegro-ball" || scene == "hand-ball") return 11.4;
  if (scene == "arm-tomato" || scene == "soft-grasp") return 12.2;
  if (scene == "pneunet") return 22.0;
  if (scene == "humanoids") return 8.9;
  if (scene == "yumi-cabinet") return 56.0;
  return 0.0;
}

constexpr double kSecondsPerRun = 4.0;  // large scenes stop there: medians of fewer steps

int num_tets(const World& world) {
  int count = 0;
  for (const Deformable& body : world.deformables()) count += body.mesh.num_tets();
  return count;
}

Row measure(const SceneInfo& scene, const std::string& preset, int steps) {
  SimulationOptions options;
  options.newton = newton_preset(preset);
  Simulation simulation(make_scene(scene.name), options, standard_backends());
  bench::RunMeasures run(simulation);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int k = 0; k < steps && seconds() < kSecondsPerRun; ++k) {
    simulation.step();
    run.add(simulation);
  }
  const Row all = run.row(simulation);
  const auto coarse =
      std::count_if(run.error.begin(), run.error.end(), [](double e) { return !(e <= 1e-6); });
  Row row = {{"scene", scene.name},
             {"preset", preset},
             {"bodies", simulation.world().bodies().size()},
             {"joints", all.at("joints")},
             {"tets", num_tets(simulation.world())},
             {"contacts", all.at("contacts_max")},
             {"steps", all.at("steps")},
             {"newton_iterations_mean", all.at("newton_iterations_mean")},
             {"assembly_ms_median", all.at("detect_ms_median").get<double>() +
                                        all.at("assemble_ms_median").get<double>()},
             {"solve_ms_median", all.at("solve_ms_median")},
             {"error_mps_median", all.at("error_median_mps")},
             {"steps_above_1e-6_mps", coarse}};
  const double paper = paper_solve_ms(scene.name);
  row["paper_solve_ms"] = paper > 0.0 ? Row(paper) : Row(nullptr);
  return row;
}

/// Why a scene that needs a robot's file cannot be made here; empty where it can.
std::string cannot_be_made(const SceneInfo& scene) {
  const bool needs_file = std::any_of(scene.options.begin(), scene.options.end(),
                                      [](const OptionSpec& spec) { return spec.key == "file"; });
  if (!needs_file) return {};
  try {
    make_scene(scene.name);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace

StudyOutcome table_study(const StudyOptions& options) {
  StudyOutcome out{.name = "table",
                   .title = "Every scene",
                   .question = "How large is each scene, and what does a step cost?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  int solved = 0;
  int faster = 0;
  int compared = 0;
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
      if (!row.at("paper_solve_ms").is_null()) {
        ++compared;
        faster += row.at("solve_ms_median") < row.at("paper_solve_ms") ? 1 : 0;
      }
      out.rows.push_back(row);
    }
  }
  out.findings.push_back(
      fmt::format("The default preset solves every step to 1e-6 m/s in {} of {} scenes.", solved,
                  scenes().size()));
  out.findings.push_back(fmt::format(
      "{} of {} runs of scenes the paper times too take less than its GPU.", faster, compared));
  return out;
}

}  // namespace nsn::study
