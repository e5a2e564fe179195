// nsn solve: frictional-contact problems and LCPs of other programs.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/interrupt.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/row_file.h"
#include "bench/cli/words.h"
#include "bench/friction/friction_report.h"
#include "bench/friction/solve_problem.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

struct SolveOptions : CommonOptions {
  std::vector<std::string> paths;
  std::string format = "auto";
  std::string form = "auto";
  bench::SolveSettings settings;
};

/// Where rows are kept as problems are solved: solve.csv of --out, or beside the report until that is there.
fs::path table_of(const SolveOptions& options) {
  if (!options.out.empty()) return fs::path(options.out) / "solve.csv";
  if (options.json.empty() || options.json == "-") return {};
  return fs::path(options.json).replace_extension(".csv");
}

struct Solved {
  std::vector<bench::FrictionOutcome> outcomes;
  bool usable = false;  ///< at least one of them
  std::string stopped;  ///< where an interrupt ended the work
};

Solved solve_all(const SolveOptions& options, RowFile& table) {
  const SolverRegistry registry = standard_backends();
  bench::SolveSettings settings = options.settings;
  settings.options.form = friction_form_from_name(options.form);
  bench::check(settings, registry);
  const FrictionFormat format = friction_format_from_name(options.format);
  const auto sources = bench::find_problems(options.paths);
  probe_outputs(options);
  Solved all;
  std::vector<Row> waiting;
  Progress progress("solve", static_cast<long>(sources.size()), !options.quiet);
  for (const bench::ProblemSource& source : sources) {
    if (interrupted()) {
      all.stopped =
          stopped_at(fmt::format("problem {} of {}", all.outcomes.size(), sources.size()));
      break;
    }
    progress.step(source.name);
    const bench::LoadedProblem problem = bench::load_problem(source, format);
    all.outcomes.push_back(bench::solve_problem(problem, settings, registry));
    const bench::FrictionOutcome& outcome = all.outcomes.back();
    waiting.push_back(bench::to_rows({outcome}).front());
    if (!outcome.refusal.empty() && !all.usable) continue;  // nothing is written yet
    all.usable = true;
    table.add(std::exchange(waiting, {}));
    if (options.out.empty() || !outcome.refusal.empty()) continue;
    write_file(fs::path(options.out) / (outcome.problem + ".solution.csv"),
               bench::solution_csv(outcome));
    if (outcome.certificate.empty()) continue;
    write_file(fs::path(options.out) / (outcome.problem + ".certificate.csv"),
               bench::certificate_csv(outcome));
  }
  return all;
}

constexpr int kNotSolved = 1;
constexpr int kNoSolution = 4;

int verdict(const std::vector<bench::FrictionOutcome>& outcomes) {
  int code = 0;
  for (const bench::FrictionOutcome& outcome : outcomes) {
    if (!outcome.refusal.empty() || outcome.solved) continue;
    if (outcome.certificate.empty()) return kNotSolved;
    code = kNoSolution;
  }
  return code;
}

int run(const SolveOptions& options) {
  note_interrupts();
  const Runtime runtime(options.threads);
  RowFile table(table_of(options));
  const auto [outcomes, usable, stopped] = solve_all(options, table);
  if (stopped.empty() && !usable) bench::throw_if_nothing_was_usable(outcomes);
  if (stopped.empty() && !options.out.empty()) table.finish();
  if (!options.json.empty()) {
    write_json(options.json, json_report(bench::to_rows(outcomes), stopped));
    if (options.out.empty()) table.discard();
  }
  if (options.prints_tables()) fmt::print("{}", bench::to_text(outcomes));
  return exit_code(verdict(outcomes));
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
                  "largest number of factorisations, that is of Newton steps")
      .range(0, 1'000'000'000)
      .show_default();
  command
      .add_option("--max-iterations", options.settings.options.max_iterations,
                  "largest number of sweeps or iterations of nsgs and admm")
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
  add_out_option(
      command, *options,
      "write solve.csv there, NAME.solution.csv (one contact per line, r then u; LCP: z, w) "
      "and, where there is no solution, NAME.certificate.csv (one impulse on the normal per line)");
  add_quiet_option(command, *options);
  command.footer(
      "Errors are computed from the impulses: e Siconos = |r - Pi(r - u^)| / max(|q|, |r|, "
      "|u|),\n"
      "e unit-free the same in any units. min u_N: the most negative normal velocity, m/s; cone: "
      "how far\n"
      "|r_T| exceeds mu r_N, of r_N. rank is that of W, ? where it has more than 3000 rows.\n"
      "A refused input is a row with its reason.\n"
      "no-solution: certified; every motion that keeps all u_N >= 0 needs the velocity change that "
      "is printed.\n"
      "Exit code: 0 every usable problem was solved to the tolerance, 1 some were not, 4 those "
      "that were not\n"
      "have no solution, 2 bad input (no problem was usable, unknown method, format or option); "
      "nothing is written then.\n"
      "Rows are written as they are computed: a solve that was stopped leaves solve.partial.csv.");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
