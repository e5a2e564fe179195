// Complementarity preconditioners on the same step, Newton iteration by Newton iteration.
#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/limits.h"
#include "bench/study/study.h"

namespace nsn::study {
namespace {

constexpr ComplementarityScaling kScalings[] = {
    ComplementarityScaling::kIdentity, ComplementarityScaling::kTimeStep,
    ComplementarityScaling::kEffectiveMass, ComplementarityScaling::kSpectralNorm};

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
  options.pieces(scenes.size() * std::size(kScalings));
  for (const FrozenScene& scene : scenes) {
    report::Chart normal = log_chart(scene.name + ": normal error", "Newton iteration", "e_n, m");
    report::Chart friction =
        log_chart(scene.name + ": friction error", "Newton iteration", "e_f, m/s");
    report::Chart step = log_chart(scene.name + ": step size", "Newton iteration",
                                   "largest change of velocity, m/s");
    std::string counts;
    freeze(scene, [&](StepEquations& equations) {
      for (const ComplementarityScaling scaling : kScalings) {
        const std::string name(to_string(scaling));
        options.progress(scene.name + " · " + name);
        const Trial trial =
            try_method(equations, paper_iteration(options.quick ? 40 : 100), {.scaling = scaling});
        normal.series.push_back(over_iterations(
            name, trial.history, [](const NewtonIteration& it) { return it.error.normal; }));
        friction.series.push_back(over_iterations(
            name, trial.history, [](const NewtonIteration& it) { return it.error.friction; }));
        step.series.push_back(over_iterations(name, trial.history,
                                              [](const NewtonIteration& it) { return it.step; }));
        if (trial.history.empty()) continue;
        const double last = trial.history.back().error.total;
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", name,
                              settled_text(trial.history, 1e-6));
        options.add(out, {{"scene", scene.name},
                          {"r", name},
                          {"iterations", trial.history.size()},
                          {"last_error_mps", last},
                          {"last_e_n_m", trial.history.back().error.normal},
                          {"last_e_f_mps", trial.history.back().error.friction},
                          {"last_step_mps", trial.history.back().step},
                          {"iterations_to_1e-3_mps", settled_text(trial.history, 1e-3)},
                          {"iterations_to_1e-6_mps", settled_text(trial.history, 1e-6)}});
      }
      const Limits unit = unit_limits(equations, extent_of(scene));
      normal.references = limit_lines(equations.system().h * unit.residual);
      friction.references = limit_lines(unit.residual);
      step.references = limit_lines(unit.step);
    });
    out.charts.insert(out.charts.end(), {normal, friction, step});
    out.findings.push_back(fmt::format("{}: iterations until the error stays below 1e-6 m/s: {}.",
                                       scene.name, counts));
  }
  return out;
}

}  // namespace nsn::study
