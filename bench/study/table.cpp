// Every scene: size, iterations, times; the paper's Table 1 for our scenes.
#include <algorithm>

#include <fmt/core.h>

#include "backends/standard_backends.h"
#include "bench/study/study.h"
#include "bench/support/median.h"
#include "models/presets.h"
#include "models/scenes/scene.h"
#include "models/simulation.h"

namespace nsn::study {
namespace {

/// Solve times the paper gives for scenes we have too, on its GPU, ms a step.
double paper_solve_ms(const std::string& scene) {
  if (scene == "arch") return 7.75;
  if (scene == "table-pile") return 3.7;
  if (scene == "beam-insertion") return 18.6;
  return 0.0;
}

Row measure(const SceneInfo& scene, const std::string& preset, int steps) {
  SimulationOptions options;
  options.newton = newton_preset(preset);
  Simulation simulation(make_scene(scene.name), options, standard_backends());
  std::vector<double> assemble, solve, error;
  int contacts = 0;
  int unconverged = 0;
  long newton = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    assemble.push_back(1e3 * (report.detect_seconds + report.assemble_seconds));
    solve.push_back(1e3 * report.solve_seconds);
    error.push_back(report.error.total);
    contacts = std::max(contacts, report.contacts);
    newton += report.newton_iterations;
    unconverged += report.error.total <= 1e-6 ? 0 : 1;
  }
  Row row = {{"scene", scene.name},
             {"preset", preset},
             {"bodies", simulation.world().bodies().size()},
             {"contacts", contacts},
             {"steps", steps},
             {"newton_iterations_mean", static_cast<double>(newton) / steps},
             {"assembly_ms_median", bench::median(assemble)},
             {"solve_ms_median", bench::median(solve)},
             {"error_mps_median", bench::median(error)},
             {"steps_above_1e-6_mps", unconverged}};
  const double paper = paper_solve_ms(scene.name);
  row["paper_solve_ms"] = paper > 0.0 ? Row(paper) : Row(nullptr);
  return row;
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
