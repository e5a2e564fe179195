#include "bench/friction/solve_problem.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"
#include "nsn/core/problems/friction_error.h"
#include "nsn/core/problems/indefinite.h"
#include "nsn/core/problems/lcp.h"
#include "nsn/core/problems/numerical_rank.h"

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

/// "dual (why); proximal-newton 14 (why)"
std::string describe(const std::vector<FrictionStage>& stages) {
  std::vector<std::string> texts;
  for (const FrictionStage& stage : stages) {
    texts.push_back(fmt::format("{} {} ({})", stage.name, stage.iterations, stage.reason));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

const std::vector<std::string>& lcp_only_methods() {
  static const std::vector<std::string> names = {"newton", "lemke", "enumerate"};
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Solves local and global problems and LCPs alike.
class Solve {
 public:
  Solve(const SolveSettings& settings, const SolverRegistry& registry, FrictionOutcome& outcome)
      : settings_(settings), registry_(registry), outcome_(outcome) {}

  void operator()(const FrictionProblem& problem) {
    if (settings_.options.form != FrictionForm::kPrimal) return friction(problem);
    outcome_.refusal = fmt::format(
        "{}: the primal form needs M and H, and a local problem has neither", outcome_.path);
  }
  void operator()(const GlobalFrictionProblem& problem) { friction(problem); }
  void operator()(const LinearComplementarityProblem& problem) {
    LcpOptions options;
    options.tolerance = settings_.options.tolerance;
    options.linear = settings_.options.linear;
    options.time_limit = settings_.options.time_limit;
    if (contains(lcp_only_methods(), settings_.method)) {
      options.method = lcp_method_from_name(settings_.method);
    } else if (settings_.method == "proximal-newton") {
      options.method = LcpMethod::kNewton;
    } else if (settings_.method != "auto") {
      outcome_.refusal = refusal("an LCP");
      return;
    }
    repeat([&] { return solve_lcp(problem, registry_, options); },
           [&](const LcpResult& result) { keep(result); });
  }

 private:
  template <class Problem>
  void friction(const Problem& problem) {
    if (contains(lcp_only_methods(), settings_.method)) {
      outcome_.refusal = refusal("a friction problem");
      return;
    }
    if (settings_.method == "certificate" &&
        !(std::is_same_v<Problem, FrictionProblem> && problem.dimension == 3)) {
      outcome_.refusal = fmt::format(
          "{}: method 'certificate' is for local problems in 3D; 'auto' asks for one in all others",
          outcome_.path);
      return;
    }
    FrictionSolverOptions options = settings_.options;
    options.method = friction_method_from_name(settings_.method);
    const FrictionSolver solver(options, registry_);
    repeat([&] { return solver.solve(problem); },
           [&](const FrictionResult& result) { keep(result); });
  }

  std::string refusal(const char* kind) const {
    return fmt::format("{}: method '{}' is not for {}", outcome_.path, settings_.method, kind);
  }

  template <class Run, class Keep>
  void repeat(Run&& run, Keep&& keep_first) {
    outcome_.seconds = std::numeric_limits<double>::infinity();
    for (int k = 0; k < settings_.repeats; ++k) {
      const auto result = run();
      outcome_.seconds = std::min(outcome_.seconds, result.seconds);
      if (k == 0) keep_first(result);
    }
  }

  void keep(const FrictionResult& result) {
    outcome_.reason = to_string(result.status);
    outcome_.detail = describe(result.stages);
    outcome_.newton_iterations = result.newton_iterations;
    outcome_.linear_iterations = result.linear_iterations;
    outcome_.sweeps = result.sweeps;
    outcome_.factorizations = result.factorizations;
    outcome_.error_siconos = std::max(result.error.siconos, result.error.dynamics);
    outcome_.error_unit_free = result.error.unit_free;
    outcome_.min_normal_velocity = result.error.min_normal_velocity;
    outcome_.max_cone_violation = result.error.max_cone_violation;
    outcome_.r = values_of(result.r);
    outcome_.u = values_of(result.u);
    if (result.status != FrictionStatus::kNoSolution) return;
    outcome_.certificate = values_of(result.certificate.z);
    outcome_.certificate_need = result.certificate.need;
  }

  /// An LCP is a frictionless problem of one row per contact: the same two errors.
  void keep(const LcpResult& result) {
    outcome_.reason = to_string(result.status);
    outcome_.detail = to_string(result.method);
    outcome_.newton_iterations = result.iterations;
    outcome_.r = values_of(result.z);
    outcome_.u = values_of(result.w);
    outcome_.error_siconos = result.errors.siconos;
    outcome_.error_unit_free = result.errors.unit_free;
    outcome_.min_normal_velocity = result.errors.min_normal_velocity;
    outcome_.max_cone_violation = result.errors.max_cone_violation;
  }

  const SolveSettings& settings_;
  const SolverRegistry& registry_;
  FrictionOutcome& outcome_;
};

}  // namespace

namespace {

/// Why no bodies have this W; empty: nothing was found.
template <class Problem>
std::string indefinite(const Problem& problem) {
  if constexpr (std::is_same_v<Problem, FrictionProblem>) {
    const NegativeEnergy energy = find_negative_energy(problem);
    if (energy.found()) {
      return fmt::format(
          "W is not positive semidefinite: z . W z = {:.1e} |z|^2 in scaled rows, most of z at "
          "contact {}",
          energy.quotient, energy.contact);
    }
  }
  return {};
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
        if (const std::string reason = indefinite(problem); !reason.empty())
          loaded.outcome.refusal = fmt::format("{}: {}", loaded.outcome.path, reason);
      },
      loaded.file.problem);
  loaded.outcome.contacts = contacts_of(loaded.file.problem);
  loaded.outcome.storage = loaded.file.storage;
  loaded.outcome.asymmetry = loaded.file.asymmetry;
  return loaded;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names = friction_method_names();
  names.insert(names.end(), lcp_only_methods().begin(), lcp_only_methods().end());
  return names;
}

void check(const SolveSettings& settings, const SolverRegistry& registry) {
  const auto names = method_names();
  if (settings.method.starts_with("pfn")) {
    static_cast<void>(friction_method_from_name(settings.method));  // throws with its present name
  }
  NSN_THROW_UNLESS(contains(names, settings.method), "unknown method '{}'{}", settings.method,
                   suggestion(settings.method, names));
  const FrictionSolver solver(settings.options, registry);  // throws for what it cannot take
  static_cast<void>(solver);
}

FrictionOutcome solve_problem(const LoadedProblem& problem, const SolveSettings& settings,
                              const SolverRegistry& registry) {
  FrictionOutcome outcome = problem.outcome;
  outcome.method = settings.method;
  if (!problem.usable()) return outcome;
  std::visit(Solve(settings, registry, outcome), problem.file.problem);
  outcome.solved =
      outcome.refusal.empty() && outcome.error_siconos <= settings.options.tolerance &&
      outcome.error_unit_free <= settings.options.unit_free_factor * settings.options.tolerance;
  const char* const unsolved = outcome.certificate.empty() ? "not-solved" : "no-solution";
  outcome.status = outcome.solved ? "solved" : unsolved;
  if (outcome.solved) outcome.reason = outcome.status;
  if (outcome.status == "no-solution") {
    outcome.reason = fmt::format("every admissible motion needs a velocity change of {:.1e} |q|",
                                 outcome.certificate_need);
  }
  return outcome;
}

}  // namespace nsn::bench
