#include "nsn/core/problems/linearised_problem.h"

#include <algorithm>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/step/reductions/delassus.h"
#include "nsn/core/step/step_error.h"

namespace nsn {

bool only_contacts(const System& system) {
  return std::all_of(system.laws.begin(), system.laws.end(),
                     [](const RowLaw& law) { return law.is_contact(); });
}

FrictionProblem linearised_friction_problem(StepEquations& equations) {
  const System& system = equations.system();
  NSN_THROW_UNLESS(only_contacts(system), "a step with joints is not a friction problem");
  StepEvaluation at;
  at.fit(system);
  at.evaluate(equations, system.u_start);
  Delassus delassus;
  delassus.analyze(at.J);
  delassus.assemble(at.J, system.M_inverse, at.E);
  FrictionProblem problem;
  problem.W = to_scalar(delassus.matrix());
  problem.q = Vector("q", static_cast<std::size_t>(system.rows()));
  problem.mu = Vector("mu", system.laws.size());
  Vector change("change", static_cast<std::size_t>(system.dofs()));
  copy(system.u_free, change);
  axpby(-1.0, system.u_start, 1.0, change);
  at.apply(change, problem.q);
  axpby(1.0, at.value, 1.0, problem.q);
  for (std::size_t i = 0; i < system.laws.size(); ++i) problem.mu(i) = system.laws[i].mu;
  return problem;
}

}  // namespace nsn
