#include "bench/friction/solve_problem.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "core/numerical_rank.h"

namespace nsn::bench {

namespace {

struct Shape {
  const char* kind;
  Index dimension;
};

Shape shape_of(const FrictionProblem& problem) {
  return {"local", problem.dimension};
}
Shape shape_of(const GlobalFrictionProblem& problem) {
  return {"global", problem.dimension};
}
Shape shape_of(const LinearComplementarityProblem&) {
  return {"lcp", 1};
}

std::vector<double> values_of(const Vector& v) {
  return {v.data(), v.data() + v.extent(0)};
}

/// "dual (why); pfn 14 (why)"
std::string describe(const std::vector<FrictionStage>& stages) {
  std::vector<std::string> texts;
  for (const FrictionStage& stage : stages) {
    texts.push_back(fmt::format("{} {} ({})", stage.name, stage.iterations, stage.reason));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

void keep(FrictionOutcome& outcome, const FrictionResult& result) {
  outcome.status = to_string(result.status);
  outcome.detail = describe(result.stages);
  outcome.newton_iterations = result.newton_iterations;
  outcome.linear_iterations = result.linear_iterations;
  outcome.sweeps = result.sweeps;
  outcome.factorizations = result.factorizations;
  outcome.error_siconos = std::max(result.error.siconos, result.error.dynamics);
  outcome.error_unit_free = result.error.unit_free;
  outcome.min_normal_velocity = result.error.min_normal_velocity;
  outcome.max_cone_violation = result.error.max_cone_violation;
  outcome.r = values_of(result.r);
  outcome.u = values_of(result.u);
}

}  // namespace

LoadedProblem load_problem(const ProblemSource& source, FrictionFormat format) {
  LoadedProblem loaded;
  loaded.outcome.problem = source.name;
  loaded.outcome.path = source.path.string();
  try {
    loaded.file = read_friction_file(source.path.string(), format, Isolation::kChildProcess);
  } catch (const InputError& error) {
    loaded.outcome.refusal = error.what();
    return loaded;
  }
  std::visit(
      [&](const auto& problem) {
        loaded.outcome.kind = shape_of(problem).kind;
        loaded.outcome.dimension = shape_of(problem).dimension;
        loaded.outcome.rank = numerical_rank(problem);
      },
      loaded.file.problem);
  loaded.outcome.contacts = contacts_of(loaded.file.problem);
  loaded.outcome.storage = loaded.file.storage;
  loaded.outcome.asymmetry = loaded.file.asymmetry;
  return loaded;
}

FrictionOutcome solve_problem(const LoadedProblem& problem, const FrictionSolverOptions& options,
                              const SolverRegistry& registry, int repeats) {
  FrictionOutcome outcome = problem.outcome;
  outcome.method = to_string(options.method);
  if (!problem.usable()) return outcome;
  const FrictionSolver solver(options, registry);
  outcome.seconds = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const FrictionResult result =
        std::visit([&](const auto& given) { return solver.solve(given); }, problem.file.problem);
    outcome.seconds = std::min(outcome.seconds, result.seconds);
    if (repeat == 0) keep(outcome, result);
  }
  outcome.solved = outcome.error_siconos <= options.tolerance &&
                   outcome.error_unit_free <= options.unit_free_factor * options.tolerance;
  return outcome;
}

}  // namespace nsn::bench
