// Linear solvers: inside Newton at a fixed budget, and alone on one Newton matrix.
#include <algorithm>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/limits.h"
#include "bench/study/study.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

constexpr int kBudget = 40;  // linear iterations per Newton iteration, as in the paper's figure

constexpr int kSubproblem = 8;  // the Newton iteration whose matrix is taken: past the cold start

const std::vector<std::string> kIterative = {"jacobi", "gauss-seidel", "pcg", "pcr", "amg"};

/// Stacked, wedged and pushed into a socket.
std::vector<FrozenScene> subjects(bool quick) {
  std::vector<FrozenScene> scenes = {{"heavy-stack"}, {"arch"}};
  if (!quick) scenes.push_back({"beam-insertion", {}, 150});
  return scenes;
}

bool available(const SolverRegistry& registry, const std::string& name) {
  return registry.info(name).built;
}

std::vector<std::string> solvers(bool with_direct) {
  const SolverRegistry registry = standard_backends();
  std::vector<std::string> names;
  for (const std::string& name : kIterative) {
    if (available(registry, name)) names.push_back(name);
  }
  if (with_direct) names.push_back(available(registry, "cholmod") ? "cholmod" : "contact-lu");
  return names;
}

/// Residual per iteration of one solver on S x = b.
report::Series residuals(const std::string& name, const LinearOperator& op, ConstVector b,
                         int iterations, LinearReport& report) {
  report::Series series;
  series.name = name;
  const auto solver = standard_backends().make(name);
  solver->prepare(op);
  const Vector x("x", b.size());
  LinearControl control;
  control.rtol = 1e-12;
  control.iteration_budget = iterations;
  report = solver->solve(b, x, control, [&](const IterationInfo& info) {
    series.x.push_back(info.iteration);
    series.y.push_back(info.residual);
  });
  return series;
}

}  // namespace

StudyOutcome linear_study(const StudyOptions& options) {
  StudyOutcome out{.name = "linear",
                   .title = "Linear solvers inside Newton",
                   .question =
                       "What is left of Newton's convergence when a linear solver gets 40 "
                       "iterations?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  options.pieces(subjects(options.quick).size() * solvers(true).size());
  for (const FrozenScene& scene : subjects(options.quick)) {
    report::Chart errors = log_chart(scene.name + ": constraint error", "Newton iteration",
                                     "max(e_n / h, e_f, e_b), m/s");
    report::Chart steps = log_chart(scene.name + ": step size", "Newton iteration",
                                    "largest change of velocity, m/s");
    std::string order;
    freeze(scene, [&](StepEquations& equations) {
      const double h = equations.system().h;
      const auto constraint = [h](const NewtonIteration& it) {
        return std::max({it.error.normal / h, it.error.friction, it.error.box});
      };
      for (const std::string& name : solvers(true)) {
        options.progress(scene.name + " · " + name);
        NewtonOptions newton = newton_preset("paper");
        newton.max_iterations = options.quick ? 20 : 50;
        newton.linear = {name};
        newton.paper().linear_iterations = kBudget;
        const Trial trial = try_method(equations, newton);
        errors.series.push_back(over_iterations(name, trial.history, constraint));
        steps.series.push_back(over_iterations(name, trial.history,
                                               [](const NewtonIteration& it) { return it.step; }));
        const NewtonIteration end =
            trial.history.empty() ? NewtonIteration{} : trial.history.back();
        options.add(out, {{"scene", scene.name},
                          {"linear", name},
                          {"newton_iterations", trial.history.size()},
                          {"linear_iterations", trial.result.linear_iterations},
                          {"last_constraint_error_mps", constraint(end)},
                          {"last_e_n_m", end.error.normal},
                          {"last_e_f_mps", end.error.friction},
                          {"last_error_mps", end.error.total},
                          {"last_step_mps", end.step},
                          {"status", std::string(to_string(trial.result.status))}});
        order += fmt::format("{}{} {:.1e}", order.empty() ? "" : ", ", name, constraint(end));
      }
      const Limits unit = unit_limits(equations, extent_of(scene));
      errors.references = limit_lines(unit.residual);
      steps.references = limit_lines(unit.step);
    });
    out.charts.insert(out.charts.end(), {errors, steps});
    out.findings.push_back(fmt::format("{}: constraint error left, m/s: {}.", scene.name, order));
  }
  return out;
}

StudyOutcome subproblem_study(const StudyOptions& options) {
  StudyOutcome out{.name = "subproblem",
                   .title = "Iterative solvers on one Newton matrix",
                   .question = "How does the residual fall on a single linear subproblem?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  const int iterations = options.quick ? 60 : 200;
  options.pieces(subjects(options.quick).size() * solvers(false).size());
  for (const FrozenScene& scene : subjects(options.quick)) {
    report::Chart curves = log_chart(scene.name, "iteration", "|b - S x|, m/s");
    std::string order;
    freeze(scene, [&](StepEquations& equations) {
      const auto compare = [&](const NewtonSystemView& view) {
        if (view.iteration != kSubproblem) return;
        const BlockOperator op(*view.S);
        for (const std::string& name : solvers(false)) {
          options.progress(scene.name + " · " + name);
          LinearReport report;
          curves.series.push_back(residuals(name, op, view.b, iterations, report));
          const double relative = report.true_residual / report.rhs_norm;
          options.add(out, {{"scene", scene.name},
                            {"rows", op.rows()},
                            {"linear", name},
                            {"iterations", report.iterations},
                            {"relative_residual", relative},
                            {"status", std::string(to_string(report.status))}});
          order += fmt::format("{}{} {:.1e} in {}", order.empty() ? "" : ", ", name, relative,
                               report.iterations);
        }
      };
      static_cast<void>(try_method(equations, paper_iteration(kSubproblem + 1), {}, compare));
    });
    out.charts.push_back(curves);
    out.findings.push_back(
        fmt::format("{}: relative residual and iterations: {}.", scene.name, order));
  }
  return out;
}

}  // namespace nsn::study
