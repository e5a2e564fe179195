/// One step of a scene, held still, so that different methods can be tried on the very same
/// equations.
///
///   freeze({"arch"}, [&](StepEquations& equations) {
///     const Trial trial = try_method(equations, paper_iteration(40));
///   });
///
/// The scene is brought there by the default preset, all of it as one system. The equations are
/// handed out after they have been solved and before the bodies move.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/report/svg_chart.h"
#include "nsn/core/step/newton.h"
#include "nsn/models/step/simulation.h"
#include "nsn/precond/complementarity.h"

namespace nsn::study {

struct FrozenScene {
  std::string name;
  Options::Assignments parameters = {};
  int step = 10;  ///< the step that is held, counted from 1
  int steps = 1;  ///< this many in a row, each held in turn
};

void freeze(const FrozenScene& scene, const std::function<void(StepEquations&)>& use);

/// The paper's iteration with a direct solver: what is left are the choices of the study.
NewtonOptions paper_iteration(int iterations);
/// The paper's method set up to converge: minimum map, row-scaled, full steps, warm, a direct solver,
/// a relative regularisation of 1e-9.
NewtonOptions converging_paper(FrictionKind friction);

/// What one method did on the equations, from a cold start.
struct Trial {
  NewtonResult result;
  std::vector<NewtonIteration> history;
  State state;
};
Trial try_method(StepEquations& equations, const NewtonOptions& options,
                 const ComplementarityOptions& scaling = {}, const NewtonObserver& observer = {});

/// First iteration from which the error stays at or below `error` (m/s); -1: never. The history
/// starts with iteration 0, the starting iterate.
int settled_below(const std::vector<NewtonIteration>& history, double error);
/// The same for a table: the number, or "never".
std::string settled_text(const std::vector<NewtonIteration>& history, double error);

/// A chart with a logarithmic y axis and no curve yet.
report::Chart log_chart(const std::string& title, const std::string& x, const std::string& y);

/// The iterations as a curve over 0, 1, 2, ...; `what` picks the value.
report::Series over_iterations(const std::string& name, const std::vector<NewtonIteration>& history,
                               const std::function<double(const NewtonIteration&)>& what);

}  // namespace nsn::study
