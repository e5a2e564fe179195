// nsn compare: linear solvers side by side on any matrices.
#include <memory>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/compare_friction.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/words.h"
#include "bench/compare/compare_report.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions : CommonOptions {
  std::vector<std::string> paths;
  std::string solvers;
  double tolerance = 1e-10;
  int max_iterations = 10000;
  int repeats = 3;
  std::string methods;       ///< of friction problems
  double time_limit = 10.0;  ///< s a solve, of friction problems
};

std::vector<std::string> available(const SolverRegistry& registry) {
  std::vector<std::string> names;
  for (const SolverInfo& info : registry.solvers()) {
    if (info.available()) names.push_back(info.name);
  }
  return names;
}

bench::ComparisonOptions comparison_options(const CompareOptions& options,
                                            const SolverRegistry& registry) {
  bench::ComparisonOptions out;
  out.solvers =
      options.solvers.empty() ? available(registry) : bench::split_solvers(options.solvers);
  bench::check_solvers(registry, out.solvers);
  out.control.rtol = options.tolerance;
  out.control.max_iterations = options.max_iterations;
  out.repeats = options.repeats;
  return out;
}

std::vector<bench::SystemOutcome> run_all(const std::vector<bench::SystemSource>& sources,
                                          const SolverRegistry& registry,
                                          const CompareOptions& options,
                                          const bench::ComparisonOptions& comparison) {
  const auto runs =
      static_cast<long>(sources.size() * comparison.solvers.size()) * (comparison.repeats + 1);
  std::vector<bench::SystemOutcome> outcomes;
  Progress progress("compare", runs, !options.quiet);
  for (const bench::SystemSource& source : sources) {
    try {
      const bench::LinearSystem system = bench::read_system(source, options.seed);
      outcomes.push_back(bench::compare_on(system, registry, comparison,
                                           [&](const std::string& name, const std::string& solver) {
                                             progress.step(fmt::format("{} · {}", name, solver));
                                           }));
    } catch (const InputError& error) {
      bench::SystemOutcome refused;  // a row with its reason, here and in every report
      refused.name = source.name;
      refused.path = source.path.string();
      refused.refusal = error.what();
      outcomes.push_back(refused);
    }
  }
  return outcomes;
}

/// All reasons, one line each, as the one text of the error.
void throw_if_nothing_was_usable(const std::vector<bench::SystemOutcome>& outcomes) {
  std::string reasons;
  for (const bench::SystemOutcome& outcome : outcomes) {
    if (outcome.refusal.empty()) return;
    reasons += (reasons.empty() ? "" : "\nnsn: ") + outcome.refusal;
  }
  throw InputError(reasons);
}

void write_files(const fs::path& folder, const std::vector<bench::SystemOutcome>& outcomes,
                 const bench::ComparisonOptions& comparison) {
  const std::vector<Row> rows = bench::to_rows(outcomes);
  write_json((folder / "compare.json").string(), json_report(rows));
  write_file(folder / "compare.csv", to_csv(rows));
  write_file(folder / "history.csv", bench::history_csv(outcomes));
  write_file(folder / "compare.html", bench::to_html(outcomes, comparison));
}

/// Friction problems in place of linear systems: methods in place of solvers.
int run_friction(const CompareOptions& options, double tolerance) {
  CompareFrictionOptions friction;
  static_cast<CommonOptions&>(friction) = options;
  friction.paths = options.paths;
  friction.methods = options.methods;
  friction.tolerance = tolerance;
  friction.repeats = options.repeats;
  friction.time_limit = options.time_limit;
  return compare_friction(friction);
}

int run(const CompareOptions& options) {
  const Runtime runtime(options.threads);
  const SolverRegistry registry = standard_backends();
  const bench::ComparisonOptions comparison = comparison_options(options, registry);
  const auto sources = bench::find_systems({options.paths.begin(), options.paths.end()});
  const auto outcomes = run_all(sources, registry, options, comparison);
  throw_if_nothing_was_usable(outcomes);
  if (options.prints_tables()) {
    for (const auto& outcome : outcomes) fmt::print("{}\n", bench::to_text(outcome));
    for (const std::string& finding : bench::findings(outcomes)) fmt::print("{}\n", finding);
  }
  if (!options.out.empty()) write_files(options.out, outcomes, comparison);
  if (!options.out.empty() && options.prints_tables()) {
    fmt::print("Written: {}/compare.html, .json, .csv and history.csv\n", options.out);
  }
  if (!options.json.empty()) write_json(options.json, json_report(bench::to_rows(outcomes)));
  const bool all_solved = std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
    return !outcome.refusal.empty() || outcome.ok();
  });
  return all_solved ? 0 : 1;
}

}  // namespace

void add_compare_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand(
      "compare", "linear solvers side by side on any matrices, or methods on friction problems");
  auto options = std::make_shared<CompareOptions>();
  command
      .add_option("PATH", options->paths,
                  "MatrixMarket files, exported systems, folders of either (searched through); or\n"
                  "friction problems as `nsn solve` takes them")
      .required()
      .type_name("FILE");
  command
      .add_option("--solvers", options->solvers,
                  "e.g. pcr,pcg:precond=none,cholmod; all that are available if not given")
      .type_name("LIST")
      .completes(list_of(linear_words()));
  command
      .add_option("--methods", options->methods,
                  "of friction problems, e.g. auto,proximal-newton,nsgs; all if not given")
      .type_name("LIST")
      .completes(list_of(words(friction_method_names())));
  const Option tolerance = command.add_option(
      "--tol", options->tolerance, "relative residual asked for; error of friction problems: 1e-8");
  tolerance.range(0.0, 1.0).show_default();
  command
      .add_option("--time-limit", options->time_limit,
                  "seconds of wall clock a solve of a friction problem")
      .range(0.0, 1e9)
      .show_default();
  command.add_option("--max-iterations", options->max_iterations, "most iterations of a solve")
      .range(1, 1'000'000'000)
      .show_default();
  command.add_option("--repeat", options->repeats, "timed runs; the least time counts")
      .range(1, 10000)
      .show_default();
  add_threads_option(command, *options);
  add_seed_option(command, *options);
  add_json_option(command, *options);
  add_out_option(command, *options, "write compare.html, .json, .csv and history.csv there");
  add_quiet_option(command, *options);
  command.footer(
      "A matrix NAME.mtx takes its right-hand side from NAME_b.mtx, NAME_rhs.mtx, NAME.rhs.mtx or\n"
      "NAME.b.mtx beside it (A.mtx also from b.mtx); without one, b = A x* with a seeded x*.\n"
      "A refused input is a row with its reason.\n"
      "Exit code: 0 every usable system was solved by at least one solver, 1 some by none,\n"
      "2 bad input (no system was usable, unknown solver or option); nothing is written then.");
  command.callback([options, tolerance, &exit_code] {
    const bool friction = are_friction_problems(options->paths);
    const double asked =
        tolerance.given() ? options->tolerance : CompareFrictionOptions().tolerance;
    exit_code = friction ? run_friction(*options, asked) : run(*options);
  });
}

}  // namespace nsn::cli
