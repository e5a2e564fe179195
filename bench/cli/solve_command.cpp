// nsn solve: frictional-contact problems and LCPs of other programs.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/words.h"
#include "bench/friction/friction_report.h"
#include "bench/friction/solve_problem.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

struct SolveOptions : CommonOptions {
  std::vector<std::string> paths;
  std::string format = "auto";
  std::string form = "auto";
  bench::SolveSettings settings;
};

std::vector<bench::FrictionOutcome> solve_all(const SolveOptions& options) {
  const SolverRegistry registry = standard_backends();
  bench::SolveSettings settings = options.settings;
  settings.options.form = friction_form_from_name(options.form);
  bench::check(settings, registry);
  const FrictionFormat format = friction_format_from_name(options.format);
  const auto sources = bench::find_problems(options.paths);
  std::vector<bench::FrictionOutcome> outcomes;
  Progress progress("solve", static_cast<long>(sources.size()), !options.quiet);
  for (const bench::ProblemSource& source : sources) {
    progress.step(source.name);
    const bench::LoadedProblem problem = bench::load_problem(source, format);
    outcomes.push_back(bench::solve_problem(problem, settings, registry));
  }
  return outcomes;
}

void write_solutions(const std::filesystem::path& folder,
                     const std::vector<bench::FrictionOutcome>& outcomes) {
  for (const bench::FrictionOutcome& outcome : outcomes) {
    if (!outcome.refusal.empty()) continue;
    write_file(folder / (outcome.problem + ".solution.csv"), bench::solution_csv(outcome));
  }
}

int run(const SolveOptions& options) {
  const Runtime runtime(options.threads);
  const auto outcomes = solve_all(options);
  bench::throw_if_nothing_was_usable(outcomes);
  if (options.prints_tables()) fmt::print("{}", bench::to_text(outcomes));
  if (!options.out.empty()) write_solutions(options.out, outcomes);
  if (!options.json.empty()) write_json(options.json, json_report(bench::to_rows(outcomes)));
  const bool all_solved = std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
    return outcome.solved || !outcome.refusal.empty();
  });
  return all_solved ? 0 : 1;
}

void add_solver_options(Command& command, SolveOptions& options) {
  command
      .add_option("--tol", options.settings.options.tolerance,
                  "Siconos' error <= T, unit-free error <= 100 T")
      .range(0.0, 1.0)
      .show_default();
  command
      .add_option("--method", options.settings.method,
                  fmt::format("one of {}", fmt::join(bench::method_names(), ", ")))
      .completes(words(bench::method_names()))
      .show_default();
  command
      .add_option("--form", options.form,
                  "of global problems: dual (condensed: W over contacts), primal (uncondensed: "
                  "through M and H) or auto (fewer operations)")
      .type_name("FORM")
      .completes(words({"auto", "dual", "primal"}))
      .show_default();
  command
      .add_option("--linear", options.settings.options.linear,
                  "linear solver of the Newton matrices")
      .type_name("SPEC")
      .completes(linear_words())
      .show_default();
  command
      .add_option("--newton-iterations", options.settings.options.max_factorizations,
                  "most factorisations, that is Newton steps")
      .range(0, 1'000'000'000)
      .show_default();
  command
      .add_option("--max-iterations", options.settings.options.max_iterations,
                  "most sweeps or iterations of nsgs and admm")
      .range(0, 1'000'000'000)
      .show_default();
  command
      .add_option("--time-limit", options.settings.options.time_limit,
                  "seconds of wall clock, not processor time, a problem; 0: none")
      .range(0.0, 1e9)
      .show_default();
}

}  // namespace

void add_solve_command(Command& app, int& exit_code) {
  Command command =
      app.add_subcommand("solve", "frictional-contact problems and LCPs of other programs");
  auto options = std::make_shared<SolveOptions>();
  command
      .add_option("PROBLEM", options->paths,
                  "FCLIB .hdf5, Siconos text, ContactBench .npz; a folder stands for its files")
      .required()
      .type_name("FILE");
  command
      .add_option("--format", options->format,
                  fmt::format("one of {}", fmt::join(friction_format_names(), ", ")))
      .completes(words(friction_format_names()))
      .show_default();
  add_solver_options(command, *options);
  command
      .add_option("--repeat", options->settings.repeats,
                  "solves of each problem; the least time counts")
      .range(1, 100000)
      .show_default();
  add_threads_option(command, *options);
  add_json_option(command, *options);
  add_out_option(command, *options,
                 "write NAME.solution.csv there: one contact a line, r then u (LCP: z, w)");
  add_quiet_option(command, *options);
  command.footer(
      "Errors are formed afresh from the impulses: e Siconos = |r - P_K(r - u^)| / max(|q|, |r|, "
      "|u|),\n"
      "e unit-free the same in any units. rank is that of W, ? where it has more than 3000 rows.\n"
      "A refused input is a row with its reason.\n"
      "Exit code: 0 every usable problem was solved to the tolerance, 1 some were not, 2 bad "
      "input\n"
      "(no problem was usable, unknown method, format or option); nothing is written then.");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
