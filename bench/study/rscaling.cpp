// Complementarity preconditioners on the same step, Newton iteration by Newton iteration.
#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "models/presets.h"

namespace nsn::study {
namespace {

constexpr ComplementarityScaling kScalings[] = {
    ComplementarityScaling::kIdentity, ComplementarityScaling::kTimeStep,
    ComplementarityScaling::kEffectiveMass, ComplementarityScaling::kSpectralNorm};

/// The paper's iteration, long enough to see where it goes, with a direct solver so that nothing
/// but r differs.
NewtonOptions paper_iteration(bool quick) {
  NewtonOptions options = newton_preset("paper");
  options.max_iterations = quick ? 40 : 100;
  options.linear = {"contact-lu"};
  options.linear_iterations = 0;
  return options;
}

report::Chart chart(const std::string& title, const std::string& y) {
  report::Chart out;
  out.title = title;
  out.x.label = "Newton iteration";
  out.y.label = y;
  out.y.scale = report::Scale::kLog;
  return out;
}

}  // namespace

StudyOutcome rscaling_study(const StudyOptions& options) {
  StudyOutcome out{.name = "rscaling",
                   .title = "Complementarity preconditioning",
                   .question = "How much does the choice of r matter to the paper's iteration?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  std::vector<FrozenScene> scenes = {{"heavy-stack"}, {"arch"}};
  if (!options.quick) scenes.push_back({"table-pile", {}, 60});
  for (const FrozenScene& scene : scenes) {
    report::Chart normal = chart(scene.name + ": normal error", "e_n, m");
    report::Chart friction = chart(scene.name + ": friction error", "e_f, m/s");
    report::Chart step = chart(scene.name + ": step size", "largest change of velocity, m/s");
    std::string best;
    double least = std::numeric_limits<double>::infinity();
    double identity = 0.0;
    freeze(scene, [&](StepEquations& equations) {
      for (const ComplementarityScaling scaling : kScalings) {
        const std::string name(to_string(scaling));
        options.progress(scene.name + " · " + name);
        const Trial trial =
            try_method(equations, paper_iteration(options.quick), {.scaling = scaling});
        normal.series.push_back(over_iterations(
            name, trial.history, [](const NewtonIteration& it) { return it.error.normal; }));
        friction.series.push_back(over_iterations(
            name, trial.history, [](const NewtonIteration& it) { return it.error.friction; }));
        step.series.push_back(over_iterations(name, trial.history,
                                              [](const NewtonIteration& it) { return it.step; }));
        const double last = trial.history.empty() ? 0.0 : trial.history.back().error.total;
        if (scaling == ComplementarityScaling::kIdentity) identity = last;
        if (last < least) {
          least = last;
          best = name;
        }
        out.rows.push_back({{"scene", scene.name},
                            {"r", name},
                            {"iterations", trial.history.size()},
                            {"last_error_mps", last},
                            {"iterations_to_1e-3_mps", settled_text(trial.history, 1e-3)},
                            {"iterations_to_1e-6_mps", settled_text(trial.history, 1e-6)}});
      }
    });
    out.charts.insert(out.charts.end(), {normal, friction, step});
    out.findings.push_back(
        fmt::format("{}: {} ends lowest, at {:.1e} m/s; identity ends at {:.1e} m/s.", scene.name,
                    best, least, identity));
  }
  return out;
}

}  // namespace nsn::study
