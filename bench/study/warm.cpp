// Cold and warm starts, constant and adaptive damping, in closed loop.
#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::study {
namespace {

struct Way {
  std::string method;
  bool warm = false;
  Damping damping = Damping::kConstant;

  std::string name() const {
    return fmt::format("{}, {}, {} damping", method, warm ? "warm" : "cold", to_string(damping));
  }
  SimulationOptions simulation() const {
    SimulationOptions options;
    options.newton.warm_start = warm;
    if (method == "accurate") return options;
    options.newton = converging_paper(FrictionKind::kPaper);
    options.newton.warm_start = warm;
    options.newton.paper().step_length = 0.75;
    options.newton.paper().damping = damping;
    options.newton.tolerance = 1e-6;
    options.newton.max_iterations = 100;
    return options;
  }
};

/// Damping is a choice of the paper's iteration; the accurate one takes full steps.
const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"paper's W", false, Damping::kConstant}, {"paper's W", false, Damping::kAdaptive},
      {"paper's W", true, Damping::kConstant},  {"paper's W", true, Damping::kAdaptive},
      {"accurate", false, Damping::kConstant},  {"accurate", true, Damping::kConstant}};
  return all;
}

}  // namespace

StudyOutcome warm_study(const StudyOptions& options) {
  StudyOutcome out{.name = "warm",
                   .title = "Cold and warm starts",
                   .question = "What do a warm start and adaptive damping save over a run?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const int steps = options.quick ? 30 : 120;
  report::Chart chart = log_chart("Newton iterations per step, heavy-stack", "step", "iterations");
  const std::vector<std::string> subjects{"heavy-stack", "arch", "four-leg-table", "wall"};
  options.pieces(ways().size() * subjects.size());
  for (const Way& way : ways()) {
    long iterations = 0;
    int failures = 0;
    int total = 0;
    for (const std::string& scene : subjects) {
      options.progress(scene + " · " + way.name());
      Simulation simulation(make_scene(scene), way.simulation(), standard_backends());
      report::Series series;
      series.name = way.name();
      for (int k = 1; k <= steps; ++k) {
        const StepReport& report = simulation.step();
        iterations += report.newton_iterations;
        failures += report.converged() ? 0 : 1;
        ++total;
        series.x.push_back(k);
        series.y.push_back(std::max(report.newton_iterations, 1));
      }
      if (scene == "heavy-stack") chart.series.push_back(series);
    }
    const double mean = static_cast<double>(iterations) / total;
    options.add(out, {{"method", way.method},
                      {"start", way.warm ? "warm" : "cold"},
                      {"damping", std::string(to_string(way.damping))},
                      {"steps", total},
                      {"unconverged_steps", failures},
                      {"newton_iterations_mean", mean}});
    out.findings.push_back(
        fmt::format("{}: {:.1f} iterations per step, {} of {} steps not converged.", way.name(),
                    mean, failures, total));
  }
  out.charts.push_back(chart);
  return out;
}

}  // namespace nsn::study
