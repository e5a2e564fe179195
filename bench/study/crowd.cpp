// What one humanoid costs among N: islands that share nothing cost the same each.
#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/scene_run.h"
#include "bench/study/study.h"
#include "bench/support/quantile.h"

namespace nsn::study {
namespace {

constexpr double kSecondsPerRun = 20.0;
constexpr int kFallen = 60;  // steps until they lie on the floor

Row measure(int count, int fallen, int steps) {
  Simulation simulation =
      simulate(make_scene("humanoids", {{"count", std::to_string(count)}}), "realtime");
  for (int k = 0; k < fallen; ++k) static_cast<void>(simulation.step());
  const std::clock_t before = std::clock();
  const bench::RunMeasures run = run_for(simulation, steps, kSecondsPerRun);
  const double processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const double solve = bench::median(run.solve);
  const double detect = bench::median(run.detect);
  const double assembly = bench::median(run.assemble);
  return {{"humanoids", count},
          {"bodies", simulation.world().num_bodies()},
          {"contacts", run.contacts},
          {"steps", run.error.size()},
          {"detect_ms", detect},
          {"assembly_ms", assembly},
          {"solve_ms", solve},
          {"assembly_of_solve", assembly / solve},
          {"us_per_humanoid", 1e3 * (detect + assembly + solve) / count},
          {"solve_us_per_humanoid", 1e3 * solve / count},
          // All of the step on all threads, whatever else the machine does.
          {"processor_us_per_humanoid",
           1e6 * processor / (static_cast<double>(run.error.size()) * count)}};
}

report::Chart chart_of(const std::vector<Row>& rows) {
  report::Chart chart = log_chart("Cost of a humanoid", "humanoids", "µs per step");
  chart.x.scale = report::Scale::kLog;
  for (const auto& [key, name] :
       {std::pair{"us_per_humanoid", "all"}, std::pair{"solve_us_per_humanoid", "solve alone"},
        std::pair{"processor_us_per_humanoid", "processor time"}}) {
    report::Series series;
    series.name = name;
    for (const Row& row : rows) {
      series.x.push_back(row.at("humanoids").get<double>());
      series.y.push_back(row.at(key).get<double>());
    }
    chart.series.push_back(series);
  }
  return chart;
}

}  // namespace

StudyOutcome crowd_study(const StudyOptions& options) {
  StudyOutcome out{.name = "crowd",
                   .title = "A crowd of humanoids",
                   .question = "Does the cost of a step grow with the number of humanoids alone?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const std::string missing = cannot_be_made(scene_info("humanoids"));
  if (!missing.empty()) {
    out.findings.push_back(fmt::format("Not run: {}.", missing));
    return out;
  }
  const std::vector<int> counts = options.quick
                                      ? std::vector<int>{1, 10, 100}
                                      : std::vector<int>{1, 4, 16, 64, 100, 200, 400, 800, 1600};
  options.pieces(counts.size());
  for (const int count : counts) {
    options.progress(fmt::format("{} humanoids", count));
    // Few of them: as many steps as give a median of the same weight.
    const int steps = std::clamp(4000 / count, 20, 240);
    options.add(out, measure(count, options.quick ? 0 : kFallen, options.quick ? 10 : steps));
  }
  const auto cost = [](const Row& row) {
    return row.at("processor_us_per_humanoid").get<double>();
  };
  const auto [least, most] =
      std::minmax_element(out.rows.begin(), out.rows.end(),
                          [&](const Row& a, const Row& b) { return cost(a) < cost(b); });
  out.findings.push_back(fmt::format(
      "A humanoid costs {:.0f} µs of processor time per step at N = {} and {:.0f} µs at "
      "N = {}; least "
      "{:.0f}, most {:.0f}.",
      cost(out.rows.front()), counts.front(), cost(out.rows.back()), counts.back(), cost(*least),
      cost(*most)));
  out.findings.push_back(
      fmt::format("At N = {} assembly takes {:.0f} % of the solve.", counts.back(),
                  100.0 * out.rows.back().at("assembly_of_solve").get<double>()));
  out.charts.push_back(chart_of(out.rows));
  return out;
}

}  // namespace nsn::study
