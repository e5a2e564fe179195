#include "bench/study/frozen_step.h"

#include <fmt/core.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/step_error.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::study {
namespace {

/// rho of every row by another rule; gives the old values back at the end of its life.
class OtherScaling {
 public:
  OtherScaling(StepEquations& equations, const ComplementarityOptions& scaling)
      : rho_(equations.system().rho), before_("rho", rho_.size()) {
    Kokkos::deep_copy(before_, rho_);
    System system = equations.system();
    system.rho = Vector("rho", rho_.size());
    StepEvaluation start;
    start.fit(system);
    start.evaluate(equations, Vector("u", static_cast<std::size_t>(system.dofs())));
    set_complementarity_scaling(scaling, start.J, system);
    Kokkos::deep_copy(rho_, system.rho);
  }
  ~OtherScaling() { Kokkos::deep_copy(rho_, before_); }
  OtherScaling(const OtherScaling&) = delete;
  OtherScaling& operator=(const OtherScaling&) = delete;

 private:
  Vector rho_;
  Vector before_;
};

}  // namespace

void freeze(const FrozenScene& scene, const std::function<void(StepEquations&)>& use) {
  SimulationOptions options;
  options.islands = false;
  Simulation simulation(make_scene(scene.name, scene.parameters), options, standard_backends());
  for (int k = 1; k < scene.step; ++k) static_cast<void>(simulation.step());
  simulation.inspect([&](int, StepEquations& equations, const NewtonResult&) { use(equations); });
  for (int k = 0; k < scene.steps; ++k) static_cast<void>(simulation.step());
}

NewtonOptions paper_iteration(int iterations) {
  NewtonOptions options = newton_preset("paper");
  options.max_iterations = iterations;
  options.linear = {"contact-lu"};
  options.paper().linear_iterations = 0;
  return options;
}

NewtonOptions converging_paper(FrictionKind friction) {
  PaperOptions paper;
  paper.friction = friction;
  paper.ncp = NcpKind::kMinimumMap;
  paper.form = NcpForm::kRowScaled;
  paper.stiffness = GeometricStiffness::kExact;
  paper.start = StartingIterate::kPrevious;
  paper.step_length = 1.0;
  paper.best_iterate = true;
  paper.regularization = 1e-9;
  paper.relative_regularization = true;
  paper.linear_iterations = 0;
  NewtonOptions options(paper);
  options.linear = {"contact-lu"};
  options.warm_start = true;
  options.tolerance = 1e-9;
  return options;
}

Trial try_method(StepEquations& equations, const NewtonOptions& options,
                 const ComplementarityOptions& scaling, const NewtonObserver& observer) {
  const OtherScaling other(equations, scaling);
  const System& system = equations.system();
  NewtonSolver newton(options, standard_backends());
  if (observer) newton.observe(observer);
  Trial trial;
  trial.state.u = Vector("u", static_cast<std::size_t>(system.dofs()));
  trial.state.r = Vector("r", static_cast<std::size_t>(system.rows()));
  trial.result = newton.solve(equations, trial.state, false);
  trial.history = newton.history();
  return trial;
}

int settled_below(const std::vector<NewtonIteration>& history, double error) {
  int first = -1;
  for (std::size_t k = 0; k < history.size(); ++k) {
    if (!(history[k].error.total <= error)) {
      first = -1;
    } else if (first < 0) {
      first = static_cast<int>(k);
    }
  }
  return first;
}

std::string settled_text(const std::vector<NewtonIteration>& history, double error) {
  const int first = settled_below(history, error);
  return first < 0 ? "never" : fmt::format("{}", first);
}

report::Chart log_chart(const std::string& title, const std::string& x, const std::string& y) {
  report::Chart chart;
  chart.title = title;
  chart.x.label = x;
  chart.y.label = y;
  chart.y.scale = report::Scale::kLog;
  return chart;
}

report::Series over_iterations(const std::string& name, const std::vector<NewtonIteration>& history,
                               const std::function<double(const NewtonIteration&)>& what) {
  report::Series series;
  series.name = name;
  for (std::size_t k = 0; k < history.size(); ++k) {
    series.x.push_back(static_cast<double>(k));
    series.y.push_back(what(history[k]));
  }
  return series;
}

}  // namespace nsn::study
