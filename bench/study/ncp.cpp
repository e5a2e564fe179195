// Minimum map against Fischer-Burmeister: how fast, and how even the forces are where they are not
// unique.
#include <cmath>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

/// Standard deviation over mean of the normal impulses that are not zero.
double unevenness(const StepEquations& equations, const State& state) {
  double sum = 0.0;
  double squares = 0.0;
  int count = 0;
  const System& system = equations.system();
  for (Index i = 0; i < system.blocks(); ++i) {
    if (!system.laws[static_cast<std::size_t>(i)].is_contact()) continue;
    const double r = state.r(3 * i);
    sum += r;
    squares += r * r;
    ++count;
  }
  if (count == 0 || !(sum > 0.0)) return 0.0;
  const double mean = sum / count;
  return std::sqrt(std::max(squares / count - mean * mean, 0.0)) / mean;
}

struct Kind {
  std::string name;
  NewtonOptions options;
};

std::vector<Kind> kinds(bool quick) {
  std::vector<Kind> out;
  for (const NcpKind ncp : {NcpKind::kMinimumMap, NcpKind::kFischerBurmeister}) {
    const std::string name(to_string(ncp));
    NewtonOptions paper = paper_iteration(quick ? 40 : 100);
    paper.paper().ncp = ncp;
    out.push_back({name + ", paper", paper});
    NewtonOptions accurate = newton_preset("accurate");
    accurate.accurate().ncp = ncp;
    out.push_back({name + ", accurate", accurate});
  }
  return out;
}

}  // namespace

StudyOutcome ncp_study(const StudyOptions& options) {
  StudyOutcome out{.name = "ncp",
                   .title = "Minimum map or Fischer-Burmeister",
                   .question =
                       "Which NCP function converges faster, and which spreads redundant "
                       "contact forces more evenly?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const std::vector<FrozenScene> subjects{
      {"four-leg-table"}, {"cylinder-ring"}, {"heavy-stack"}, {"arch"}};
  options.pieces(subjects.size() * kinds(options.quick).size());
  for (const FrozenScene& scene : subjects) {
    report::Chart chart = log_chart(scene.name, "Newton iteration", "error, m/s");
    std::string finding = scene.name + ", to 1e-6 m/s and spread of the forces:";
    freeze(scene, [&](StepEquations& equations) {
      for (const Kind& kind : kinds(options.quick)) {
        options.progress(scene.name + " · " + kind.name);
        const Trial trial = try_method(equations, kind.options);
        chart.series.push_back(over_iterations(
            kind.name, trial.history, [](const NewtonIteration& it) { return it.error.total; }));
        const double uneven = unevenness(equations, trial.state);
        const int reached = settled_below(trial.history, 1e-6);
        options.add(out, {{"scene", scene.name},
                          {"method", kind.name},
                          {"iterations", trial.history.size()},
                          {"iterations_to_1e-6_mps", settled_text(trial.history, 1e-6)},
                          {"error_mps", trial.result.error.total},
                          {"force_spread", uneven}});
        finding += fmt::format(" {} {};", kind.name,
                               reached >= 0 ? fmt::format("{} iterations, {:.2g}", reached, uneven)
                                            : fmt::format("never, {:.2g}", uneven));
      }
    });
    finding.back() = '.';
    out.charts.push_back(chart);
    out.findings.push_back(finding);
  }
  return out;
}

}  // namespace nsn::study
