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

/// One choice of r and of the linear solver, and what it leaves.
struct Kind {
  ComplementarityScaling scaling;
  std::string linear;
  Errors errors = {};

  std::string name() const { return fmt::format("r: {}, {}", to_string(scaling), linear); }
  NewtonOptions options(int iterations) const {
    NewtonOptions out = newton_preset("paper");
    out.max_iterations = iterations;
    out.linear = {linear};
    out.paper().linear_iterations = linear == "pcr" ? kLinearBudget : 0;
    return out;
  }
};

report::Chart quartile_chart(const std::string& name, const Errors& errors) {
  report::Chart chart = log_chart(name, "Newton iteration", "error, m/s");
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
  std::vector<Kind> kinds;
  for (const char* linear : {"pcr", "contact-lu"}) {
    for (const auto scaling :
         {ComplementarityScaling::kIdentity, ComplementarityScaling::kEffectiveMass}) {
      kinds.push_back({scaling, linear});
    }
  }
  int step = 0;
  options.pieces(static_cast<std::size_t>(steps));
  freeze({"beam-insertion", {}, 60, steps}, [&](StepEquations& equations) {
    options.progress(fmt::format("step {} of {}", ++step, steps));
    for (Kind& kind : kinds) {
      add(kind.errors,
          try_method(equations, kind.options(iterations), {.scaling = kind.scaling}).history);
    }
  });
  for (const Kind& kind : kinds) {
    const Errors& errors = kind.errors;
    out.charts.push_back(quartile_chart(kind.name(), errors));
    for (std::size_t k = 0; k < errors.size(); k += 10) {
      options.add(out, {{"r", std::string(to_string(kind.scaling))},
                        {"linear", kind.linear},
                        {"iteration", k},
                        {"steps", errors[k].size()},
                        {"error_lower_quartile_mps", quantile(errors[k], 0.25)},
                        {"error_median_mps", quantile(errors[k], 0.5)},
                        {"error_upper_quartile_mps", quantile(errors[k], 0.75)},
                        {"share_below_1e-4_mps", share_below(errors[k], kLow)}});
    }
  }
  for (std::size_t k = 0; k < kinds.size(); k += 2) {
    const auto& identity = kinds[k].errors.back();
    const auto& mass = kinds[k + 1].errors.back();
    out.findings.push_back(fmt::format(
        "{}: after {} iterations the median error is {:.1e} m/s with r = 1 and {:.1e} m/s with the "
        "effective mass; {:.0f} % and {:.0f} % of {} steps are below {:.0e} m/s.",
        kinds[k].linear == "pcr" ? "40 PCR iterations" : "Direct solver", iterations,
        quantile(identity, 0.5), quantile(mass, 0.5), 100 * share_below(identity, kLow),
        100 * share_below(mass, kLow), steps, kLow));
  }
  return out;
}

}  // namespace nsn::study
