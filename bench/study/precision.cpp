// Matrices held in single precision under a driver in double, and the whole iteration in single
// precision, beside the limits of arithmetic in one precision alone (bench/study/limits.h).
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/limits.h"
#include "bench/study/study.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

constexpr int kLinearBudget = 1000;
constexpr const char* kThroughout = "single throughout";  // --precision single

std::vector<FrozenScene> precision_scenes(bool quick) {
  std::vector<FrozenScene> scenes = {{"heavy-stack"}, {"arch"}};
  if (!quick) scenes.push_back({"beam-insertion", {}, 150});
  return scenes;
}

double least_error(const std::vector<NewtonIteration>& history) {
  double least = HUGE_VAL;
  for (const NewtonIteration& it : history) least = std::min(least, it.error.total);
  return least;
}

}  // namespace

StudyOutcome precision_study(const StudyOptions& options) {
  StudyOutcome out{
      .name = "precision",
      .title = "Single and double precision",
      .question = "What does Newton lose in single precision, the matrix alone or all of it?",
      .findings = {},
      .charts = {},
      .rows = {}};
  const int iterations = options.quick ? 40 : 150;
  options.pieces(6 * precision_scenes(options.quick).size());
  for (const FrozenScene& scene : precision_scenes(options.quick)) {
    report::Chart errors = log_chart(scene.name + ": error", "Newton iteration", "error, m/s");
    report::Chart steps = log_chart(scene.name + ": step size", "Newton iteration",
                                    "largest change of velocity, m/s");
    freeze(scene, [&](StepEquations& equations) {
      std::map<std::string, double> left;  // per storage
      for (const std::string solver : {"pcr", "pcg"}) {
        for (const std::string storage : {"double", "float", kThroughout}) {
          const std::string name = solver + ", " + storage;
          options.progress(scene.name + " · " + name);
          NewtonOptions newton = paper_iteration(iterations);
          if (storage == kThroughout) {
            newton.linear = {solver};
            newton.paper().precision = Precision::kSingle;
          } else {
            newton.linear = {solver + ":storage=" + storage};
          }
          newton.paper().linear_iterations = kLinearBudget;
          newton.paper().linear_tolerance = 1e-12;
          const Trial trial = try_method(equations, newton);
          errors.series.push_back(over_iterations(
              name, trial.history, [](const NewtonIteration& it) { return it.error.total; }));
          steps.series.push_back(over_iterations(
              name, trial.history, [](const NewtonIteration& it) { return it.step; }));
          const double least = least_error(trial.history);
          double& of_storage = left.try_emplace(storage, HUGE_VAL).first->second;
          of_storage = std::min(of_storage, least);
          options.add(out, {{"scene", scene.name},
                            {"linear", solver},
                            {"storage", storage},
                            {"first_error_mps", trial.history.front().error.total},
                            {"least_error_mps", least},
                            {"last_step_mps", trial.history.back().step},
                            {"iterations_to_1e-6_mps", settled_text(trial.history, 1e-6)},
                            {"linear_iterations", trial.result.linear_iterations},
                            {"status", std::string(to_string(trial.result.status))}});
        }
      }
      const Limits unit = unit_limits(equations, extent_of(scene));
      errors.references = limit_lines(unit.residual);
      steps.references = limit_lines(unit.step);
      for (Row& row : out.rows) {
        if (row.at("scene") != scene.name) continue;
        row["limit_32_bit_mps"] = kSingle * unit.residual;
        row["limit_64_bit_mps"] = kDouble * unit.residual;
        row["step_limit_32_bit_mps"] = kSingle * unit.step;
        row["step_limit_64_bit_mps"] = kDouble * unit.step;
      }
      out.findings.push_back(fmt::format(
          "{}: least error {:.1e} m/s with the matrix in double, {:.1e} m/s in single precision, "
          "{:.1e} m/s with the iteration in single precision throughout; rounding limits the error "
          "to {:.1e} m/s in 64 bits and to {:.1e} m/s in 32 bits throughout.",
          scene.name, left["double"], left["float"], left[kThroughout], kDouble * unit.residual,
          kSingle * unit.residual));
    });
    out.charts.insert(out.charts.end(), {errors, steps});
  }
  return out;
}

}  // namespace nsn::study
