// nsn compare: linear solvers side by side on any matrices.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/compare_friction.h"
#include "bench/cli/interrupt.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/words.h"
#include "bench/compare/compare_report.h"
#include "bench/compare/row_log.h"
#include "bench/compare/worker.h"
#include "bench/distributed/distributed.h"
#include "bench/support/machine.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/linear/plugin.h"
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
  std::string methods;               ///< of friction problems
  std::optional<double> time_limit;  ///< s; of a run, or of a solve of a friction problem
  std::optional<std::string> memory_limit;
  std::vector<std::string> plugins;  ///< shared libraries with solvers
  bool again = false;
  bool distributed = false;
  bool solutions = false;
};

constexpr double kTimeLimit = 60.0;  ///< s of processor time of a run, where none is given

/// "4G" in bytes.
double bytes_of(const std::string& text) {
  constexpr double kUnit = 1024.0;
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  const std::string_view unit = std::string_view(text).substr(used);
  const double factor = unit == "K"   ? kUnit
                        : unit == "M" ? kUnit * kUnit
                        : unit == "G" ? kUnit * kUnit * kUnit
                                      : 0.0;
  NSN_THROW_UNLESS(used > 0 && factor > 0.0 && value > 0.0,
                   "--memory-limit '{}' is not a size like 500M or 4G", text);
  return value * factor;
}

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
  out.seed = options.seed;
  out.one_thread = concurrency() == 1;
  return out;
}

/// What rows have in common: those of other settings are not taken up again.
Row settings_of(const CompareOptions& options) {
  return {{"rows_of", "nsn compare"},
          {"nsn", bench::version()},
          {"tolerance", options.tolerance},
          {"max_iterations", options.max_iterations},
          {"repeat", options.repeats},
          {"threads", concurrency()},
          {"seed", options.seed},
          {"time_limit", options.time_limit.value_or(kTimeLimit)},
          {"memory_limit", options.memory_limit.value_or("")}};
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
                 const bench::ComparisonOptions& comparison, const std::string& stopped) {
  const std::vector<Row> rows = bench::to_rows(outcomes);
  write_json((folder / "compare.json").string(), json_report(rows, stopped));
  write_file(folder / "compare.csv", to_csv(rows));
  write_file(folder / "history.csv", bench::history_csv(outcomes));
  write_file(folder / "compare.html", bench::to_html(outcomes, comparison, stopped));
}

/// One comparison: its systems one after another, rows and reports as they come.
class Comparison {
 public:
  Comparison(const CompareOptions& options, const SolverRegistry& registry)
      : options_(options),
        registry_(registry),
        comparison_(comparison_options(options, registry)),
        workers_({.limit_seconds = options.time_limit.value_or(kTimeLimit),
                  .memory_bytes = options.memory_limit ? bytes_of(*options.memory_limit) : 0.0,
                  .threads = options.threads,
                  .plugins = options.plugins,
                  .stopped = interrupted}) {
    if (options.out.empty()) return;
    log_.emplace(fs::path(options.out) / "rows.jsonl", settings_of(options), options.again);
    if (log_->size() > 0 && options.prints_tables()) {
      fmt::print("{} rows of an earlier run are kept (--again measures them again)\n\n",
                 log_->size());
    }
  }

  int run() {
    const auto sources = bench::find_systems({options_.paths.begin(), options_.paths.end()});
    const auto runs =
        static_cast<long>(sources.size() * comparison_.solvers.size()) * (comparison_.repeats + 1);
    Progress progress("compare", runs, !options_.quiet);
    for (const bench::SystemSource& source : sources) {
      if (interrupted()) break;
      outcomes_.push_back(compare(source, progress));
      if (!outcomes_.back().refusal.empty()) continue;
      if (options_.prints_tables()) fmt::print("{}\n", bench::to_text(outcomes_.back()));
      if (!options_.out.empty()) write_files(options_.out, outcomes_, comparison_, "");
    }
    return finish(sources.size());
  }

 private:
  bench::SystemOutcome compare(const bench::SystemSource& source, Progress& progress) {
    try {
      const bench::LinearSystem system = bench::read_system(source, options_.seed);
      bench::ComparisonCalls calls;
      calls.on_run = [&](const std::string& name, const std::string& solver) {
        progress.step(fmt::format("{} · {}", name, solver));
      };
      calls.stopped = interrupted;
      calls.enter = [&](const std::string& spec, bench::SystemForm form) {
        return workers_.contestant(source, options_.seed, spec, form, comparison_.control);
      };
      if (log_) {
        calls.known = log_->known(source);
        calls.on_row = [&](const bench::SystemOutcome&, const bench::SolverOutcome& outcome) {
          log_->append(source, outcome);
        };
      }
      return bench::compare_on(system, registry_, comparison_, calls);
    } catch (const InputError& error) {
      bench::SystemOutcome refused;  // a row with its reason, here and in every report
      refused.name = source.name;
      refused.path = source.path.string();
      refused.refusal = error.what();
      return refused;
    }
  }

  int finish(std::size_t systems) const {
    std::string stopped;
    if (interrupted()) {
      stopped = stopped_at(fmt::format("system {} of {}", outcomes_.size(), systems));
    } else {
      throw_if_nothing_was_usable(outcomes_);
    }
    if (options_.prints_tables()) print_findings();
    if (!options_.out.empty()) write_files(options_.out, outcomes_, comparison_, stopped);
    if (!options_.out.empty() && options_.prints_tables()) {
      fmt::print("Written: {}/compare.html, .json, .csv, history.csv and rows.jsonl\n",
                 options_.out);
    }
    if (!options_.json.empty()) {
      write_json(options_.json, json_report(bench::to_rows(outcomes_), stopped));
    }
    const bool all_solved =
        std::all_of(outcomes_.begin(), outcomes_.end(),
                    [](const auto& outcome) { return !outcome.refusal.empty() || outcome.ok(); });
    return exit_code(all_solved ? 0 : 1);
  }

  void print_findings() const {
    for (const auto& outcome : outcomes_) {
      if (!outcome.refusal.empty()) fmt::print("{}\n", bench::to_text(outcome));
    }
    const std::string busy = bench::busy_warning(outcomes_);
    if (!busy.empty()) fmt::print("{}\n", busy);
    for (const std::string& finding : bench::findings(outcomes_)) fmt::print("{}\n", finding);
  }

  const CompareOptions& options_;
  const SolverRegistry& registry_;
  bench::ComparisonOptions comparison_;
  bench::Workers workers_;
  std::optional<bench::RowLog> log_;
  std::vector<bench::SystemOutcome> outcomes_;
};

/// Friction problems in place of linear systems: methods in place of solvers.
int run_friction(const CompareOptions& options, double tolerance) {
  CompareFrictionOptions friction;
  static_cast<CommonOptions&>(friction) = options;
  friction.paths = options.paths;
  friction.methods = options.methods;
  friction.tolerance = tolerance;
  friction.repeats = options.repeats;
  if (options.time_limit) friction.time_limit = *options.time_limit;
  return compare_friction(friction);
}

/// Each system on all processes that mpirun started; the first one prints and writes.
class DistributedComparison {
 public:
  explicit DistributedComparison(const CompareOptions& options) : options_(options) {
    for (const auto& [given, name] :
         {std::pair(options.time_limit.has_value(), "--time-limit"),
          std::pair(options.memory_limit.has_value(), "--memory-limit"),
          std::pair(!options.plugins.empty(), "--plugin"), std::pair(options.again, "--again")}) {
      NSN_THROW_UNLESS(!given, "{} does not go with --distributed; mpirun and the system limit it",
                       name);
    }
    distributed_.solvers =
        bench::split_solvers(options.solvers.empty() ? "petsc" : options.solvers);
    distributed_.control.rtol = options.tolerance;
    distributed_.control.max_iterations = options.max_iterations;
    distributed_.repeats = options.repeats;
    distributed_.seed = options.seed;
    NSN_THROW_UNLESS(!options.solutions || !options.out.empty(), "--solutions needs --out");
    if (options.solutions) distributed_.solutions = options.out;
    bench::check_distributed(distributed_);
    comparison_.solvers = distributed_.solvers;
    comparison_.control = distributed_.control;
    comparison_.repeats = options.repeats;
  }

  int run() {
    const bool first = bench::process_number() == 0;
    if (first) probe_outputs(options_);
    if (options_.solutions) fs::create_directories(options_.out);
    for (const auto& source : bench::find_systems({options_.paths.begin(), options_.paths.end()})) {
      if (source.path.stem() == "A_sym") continue;
      outcomes_.push_back(solve(source));
      if (first && options_.prints_tables()) fmt::print("{}\n", bench::to_text(outcomes_.back()));
    }
    throw_if_nothing_was_usable(outcomes_);
    if (first) write();
    return std::all_of(outcomes_.begin(), outcomes_.end(),
                       [](const auto& o) { return !o.refusal.empty() || o.ok(); })
               ? 0
               : 1;
  }

 private:
  bench::SystemOutcome solve(const bench::SystemSource& source) const {
    try {
      return bench::solve_distributed(source, distributed_);
    } catch (const InputError& error) {
      bench::SystemOutcome refused;
      refused.name = source.name;
      refused.path = source.path.string();
      refused.refusal = error.what();
      return refused;
    }
  }

  void write() const {
    if (!options_.out.empty()) write_files(options_.out, outcomes_, comparison_, "");
    if (!options_.json.empty()) write_json(options_.json, json_report(bench::to_rows(outcomes_)));
  }

  const CompareOptions& options_;
  bench::DistributedOptions distributed_;
  bench::ComparisonOptions comparison_;
  std::vector<bench::SystemOutcome> outcomes_;
};

int run(const CompareOptions& options) {
  if (options.distributed) {
    const Runtime runtime(1);
    return DistributedComparison(options).run();
  }
  NSN_THROW_UNLESS(!options.solutions, "--solutions goes with --distributed");
  note_interrupts();
  const Runtime runtime(options.threads);
  SolverRegistry registry = standard_backends();
  for (const std::string& file : options.plugins) load_plugin(file, registry);
  probe_outputs(options);
  return Comparison(options, registry).run();
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
                  "seconds of processor time a run, 60 if not given; of wall clock a solve of a "
                  "friction problem: 10")
      .range(0.0, 1e9);
  command
      .add_option("--memory-limit", options->memory_limit,
                  "memory of the process that a solver runs in, e.g. 4G; none if not given")
      .type_name("SIZE");
  command
      .add_option(
          "--plugin", options->plugins,
          "a shared library with linear solvers of its own (NSN_PLUGIN); may be given again")
      .one_value_each_time()
      .type_name("FILE");
  command.add_flag("--again", options->again,
                   "measure rows again that --out has from a run with the same settings");
  command.add_flag(
      "--distributed", options->distributed,
      "under mpirun: each process holds its rows of PETSc files and solves with\n"
      "petsc:...; options of PETSc beside form=assembled|factored; seconds are those of\n"
      "the slowest process, processor seconds those of all, waiting included");
  command.add_flag("--solutions", options->solutions,
                   "with --distributed: write each answer to DIR/SYSTEM-NUMBER.petsc");
  command
      .add_option("--max-iterations", options->max_iterations,
                  "largest number of iterations per solve")
      .range(1, 1'000'000'000)
      .show_default();
  command.add_option("--repeat", options->repeats, "timed runs, at least; the least time counts")
      .range(1, 10000)
      .show_default();
  add_threads_option(command, *options);
  add_seed_option(command, *options);
  add_json_option(command, *options);
  add_out_option(command, *options,
                 "write compare.html, .json, .csv, history.csv and rows.jsonl there");
  add_quiet_option(command, *options);
  command.footer(
      "A matrix NAME.mtx takes its right-hand side from NAME_b.mtx, NAME_rhs.mtx, NAME.rhs.mtx or\n"
      "NAME.b.mtx beside it (A.mtx also from b.mtx); without one, b = A x* with a seeded x*.\n"
      "A refused input is a row with its reason.\n"
      "Each solver runs in a process of its own. Rows are in DIR/rows.jsonl as soon as they are "
      "known; the\n"
      "same command goes on where it was stopped.\n"
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
