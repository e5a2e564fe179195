// Geometric stiffness: the merit of Newton's iterates on stretched bars and sheets, by what of it
// is in H.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "bench/study/frozen_step.h"
#include "bench/study/study.h"
#include "nsn/core/step/newton_options.h"

namespace nsn::study {
namespace {

/// The paper's own iteration, the linear solves to rounding: only H differs.
NewtonOptions paper_with_stiffness(GeometricStiffness stiffness) {
  NewtonOptions options = paper_iteration(30);
  options.paper().stiffness = stiffness;
  return options;
}

/// A set-up of it that converges, with a direct solver for all of them: only H differs. A sparse H
/// needs the stiffness form, where the elastic rows leave the unknowns.
NewtonOptions with_stiffness(GeometricStiffness stiffness) {
  NewtonOptions options = converging_paper(FrictionKind::kAlartCurnierSymmetric);
  options.paper().stiffness = stiffness;
  options.max_iterations = 30;
  options.tolerance = 1e-12;
  options.paper().best_iterate = false;
  if (stiffness == GeometricStiffness::kFull) options.paper().formulation = Formulation::kStiffness;
  return options;
}

struct Kind {
  std::string name;
  NewtonOptions options;
};

std::vector<Kind> kinds() {
  std::vector<Kind> out;
  for (const GeometricStiffness stiffness :
       {GeometricStiffness::kNone, GeometricStiffness::kDiagonal}) {
    out.push_back({fmt::format("{}, paper's iteration", to_string(stiffness)),
                   paper_with_stiffness(stiffness)});
  }
  for (const GeometricStiffness stiffness :
       {GeometricStiffness::kNone, GeometricStiffness::kDiagonal, GeometricStiffness::kExact,
        GeometricStiffness::kFull}) {
    out.push_back({std::string(to_string(stiffness)), with_stiffness(stiffness)});
  }
  NewtonOptions standard = newton_preset("accurate");
  standard.max_iterations = 30;
  standard.tolerance = 1e-12;
  out.push_back({"full, accurate (default)", standard});
  return out;
}

struct Stretched {
  std::string title;
  FrozenScene scene;
};

/// A second stretches to 3, 120 steps: the step held is the one that ends at `stretch`.
Stretched stretched(const std::string& shape, const std::string& material, double stretch,
                    const std::string& cells) {
  const int step = static_cast<int>(std::lround(60.0 * (stretch - 1.0)));
  return {fmt::format("{} of {}, stretch {:g}", shape, material, stretch),
          {"material-extension",
           {{"shape", shape}, {"material", material}, {"grip", "clamped"}, {"cells", cells}},
           step}};
}

std::string sentence(const Kind& kind, const Trial& trial) {
  const int reached = settled_below(trial.history, 1e-6);
  const double last = trial.history.back().error.total;
  if (reached > 0) return fmt::format(" {} reaches 1e-6 m/s in {} iterations;", kind.name, reached);
  return fmt::format(" {} ends at {:.0e} m/s;", kind.name, last);
}

}  // namespace

StudyOutcome geometric_study(const StudyOptions& options) {
  StudyOutcome out{.name = "geometric",
                   .title = "Geometric stiffness",
                   .question =
                       "What of the geometric stiffness must be in H for Newton to converge on "
                       "a stretched body?",
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  std::vector<Stretched> cases{stretched("bar", "neo-hookean", 2.5, "1")};
  if (!options.quick) {
    cases.push_back(stretched("bar", "neo-hookean", 1.5, "2"));
    cases.push_back(stretched("bar", "corotational", 1.5, "2"));
    cases.push_back(stretched("sheet", "neo-hookean", 2.5, "3"));
  }
  options.pieces(cases.size() * kinds().size());
  for (const Stretched& one : cases) {
    report::Chart merit =
        log_chart(one.title + ": merit", "Newton iteration", "merit |(g, h)|, m/s");
    report::Chart errors = log_chart(one.title + ": error", "Newton iteration", "error, m/s");
    std::string finding = one.title + ":";
    freeze(one.scene, [&](StepEquations& equations) {
      for (const Kind& kind : kinds()) {
        options.progress(one.title + " · " + kind.name);
        const Trial trial = try_method(equations, kind.options);
        errors.series.push_back(over_iterations(
            kind.name, trial.history, [](const NewtonIteration& it) { return it.error.total; }));
        double largest = 0.0;
        for (const NewtonIteration& it : trial.history) largest = std::fmax(largest, it.merit);
        if (largest > 0.0) {  // the accurate method forms none
          merit.series.push_back(over_iterations(
              kind.name, trial.history, [](const NewtonIteration& it) { return it.merit; }));
        }
        options.add(out, {{"case", one.title},
                          {"geometric_stiffness", kind.name},
                          {"iterations", trial.history.size() - 1},
                          {"iterations_to_1e-6_mps", settled_text(trial.history, 1e-6)},
                          {"iterations_to_1e-8_mps", settled_text(trial.history, 1e-8)},
                          {"error_last_mps", trial.history.back().error.total},
                          {"merit_largest_mps", largest > 0.0 ? Row(largest) : Row(nullptr)}});
        finding += sentence(kind, trial);
      }
    });
    finding.back() = '.';
    out.charts.insert(out.charts.end(), {merit, errors});
    out.findings.push_back(finding);
  }
  return out;
}

}  // namespace nsn::study
