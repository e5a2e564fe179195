// How evenly the iteration converges over many steps of one scene: quartiles per Newton iteration.
#include <algorithm>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "bench/support/quantile.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

constexpr int kLinearBudget = 40;  // PCR iterations per Newton iteration, as in the paper's figure
constexpr double kQuartiles[] = {0.25, 0.5, 0.75};
constexpr double kLow = 1e-4;  // m/s: an error that a step may keep in practice

using bench::quantile;

/// errors[k][s]: after iteration k, of step s.
using Errors = std::vector<std::vector<double>>;

void add(Errors& errors, const std::vector<NewtonIteration>& history) {
  errors.resize(std::max(errors.size(), history.size()));
  for (std::size_t k = 0; k < history.size(); ++k) {
    errors[k].push_back(history[k].error.total);
  }
}

report::Chart quartile_chart(const std::string& name, const Errors& errors) {
  report::Chart chart = log_chart("r: " + name, "Newton iteration", "error, m/s");
  for (const double share : kQuartiles) {
    report::Series series;
    series.name = share == 0.5 ? "median" : fmt::format("{:.0f} % of the steps below", 100 * share);
    for (std::size_t k = 0; k < errors.size(); ++k) {
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(quantile(errors[k], share));
    }
    chart.series.push_back(series);
  }
  return chart;
}

double share_below(const std::vector<double>& values, double limit) {
  const auto count =
      std::count_if(values.begin(), values.end(), [limit](double v) { return v <= limit; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

}  // namespace

StudyOutcome quartile_study(const StudyOptions& options) {
  StudyOutcome out{.name = "quartile",
                   .title = "Spread over the steps of a beam insertion",
                   .question =
                       "Over many steps of one scene, how far does the paper's iteration come with "
                       "and without complementarity preconditioning?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const int steps = options.quick ? 12 : 132;
  const int iterations = options.quick ? 30 : 100;
  const ComplementarityScaling scalings[] = {ComplementarityScaling::kIdentity,
                                             ComplementarityScaling::kEffectiveMass};
  NewtonOptions newton = newton_preset("paper");
  newton.max_iterations = iterations;
  newton.paper().linear_iterations = kLinearBudget;
  Errors errors[2];
  int step = 0;
  freeze({"beam-insertion", {}, 60, steps}, [&](StepEquations& equations) {
    options.progress(fmt::format("step {} of {}", ++step, steps));
    for (std::size_t s = 0; s < 2; ++s) {
      add(errors[s], try_method(equations, newton, {.scaling = scalings[s]}).history);
    }
  });
  for (std::size_t s = 0; s < 2; ++s) {
    const std::string name(to_string(scalings[s]));
    out.charts.push_back(quartile_chart(name, errors[s]));
    for (std::size_t k = 0; k < errors[s].size(); k += 10) {
      out.rows.push_back({{"r", name},
                          {"iteration", k},
                          {"steps", errors[s][k].size()},
                          {"error_lower_quartile_mps", quantile(errors[s][k], 0.25)},
                          {"error_median_mps", quantile(errors[s][k], 0.5)},
                          {"error_upper_quartile_mps", quantile(errors[s][k], 0.75)},
                          {"share_below_1e-4_mps", share_below(errors[s][k], kLow)}});
    }
  }
  const auto& identity = errors[0].back();
  const auto& mass = errors[1].back();
  out.findings.push_back(fmt::format(
      "After {} iterations the median error is {:.1e} m/s with r = 1 and {:.1e} m/s with the "
      "effective mass; {:.0f} % and {:.0f} % of {} steps are below {:.0e} m/s.",
      iterations, quantile(identity, 0.5), quantile(mass, 0.5), 100 * share_below(identity, kLow),
      100 * share_below(mass, kLow), steps, kLow));
  return out;
}

}  // namespace nsn::study
