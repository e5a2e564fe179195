#include "bench/cli/compare_friction.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/compare/systems.h"
#include "bench/friction/friction_report.h"
#include "bench/friction/solve_problem.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> chosen_methods(const std::string& list) {
  if (list.empty()) return friction_method_names();
  std::vector<std::string> methods;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) methods.push_back(name);
  return methods;
}

std::vector<bench::FrictionOutcome> compare_all(const CompareFrictionOptions& options) {
  const SolverRegistry registry = standard_backends();
  const auto methods = chosen_methods(options.methods);
  bench::SolveSettings settings;
  settings.options.tolerance = options.tolerance;
  settings.options.time_limit = options.time_limit;
  settings.repeats = options.repeats;
  for (const std::string& method : methods) {
    settings.method = method;
    bench::check(settings, registry);
  }
  const auto sources = bench::find_problems(options.paths);
  probe_outputs(options);
  std::vector<bench::FrictionOutcome> outcomes;
  Progress progress("compare", static_cast<long>(sources.size() * methods.size()), !options.quiet);
  for (const bench::ProblemSource& source : sources) {
    const bench::LoadedProblem problem = bench::load_problem(source, FrictionFormat::kAuto);
    if (!problem.usable()) {
      outcomes.push_back(problem.outcome);
      continue;
    }
    for (const std::string& method : methods) {
      progress.step(fmt::format("{} · {}", source.name, method));
      settings.method = method;
      outcomes.push_back(bench::solve_problem(problem, settings, registry));
    }
  }
  return outcomes;
}

bool every_problem_was_solved(const std::vector<bench::FrictionOutcome>& outcomes) {
  std::set<std::string> usable;
  std::set<std::string> solved;
  for (const bench::FrictionOutcome& outcome : outcomes) {
    if (outcome.refusal.empty()) usable.insert(outcome.problem);
    if (outcome.solved) solved.insert(outcome.problem);
  }
  return usable == solved;
}

void write_files(const fs::path& folder, const std::vector<bench::FrictionOutcome>& outcomes,
                 double tolerance) {
  const auto rows = bench::to_rows(outcomes);
  write_json((folder / "compare.json").string(), json_report(rows));
  write_file(folder / "compare.csv", to_csv(rows));
  write_file(folder / "compare.html", bench::to_html(outcomes, tolerance));
}

}  // namespace

bool are_friction_problems(const std::vector<std::string>& paths) {
  const auto is_file = [](const fs::directory_entry& entry) { return entry.is_regular_file(); };
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    const auto is_matrix = [](const fs::path& file) {
      return bench::is_matrix_file(file) || file.extension() == ".petsc";
    };
    if (!fs::is_directory(path)) return !is_matrix(path);
    const fs::directory_iterator direct(path);
    const fs::recursive_directory_iterator deep(path);
    return std::any_of(begin(direct), end(direct), is_file) &&
           std::none_of(begin(deep), end(deep),
                        [&](const auto& entry) { return is_matrix(entry.path()); });
  });
}

int compare_friction(const CompareFrictionOptions& options) {
  const Runtime runtime(options.threads);
  const auto outcomes = compare_all(options);
  bench::throw_if_nothing_was_usable(outcomes);
  if (options.prints_tables()) fmt::print("{}", bench::to_text(outcomes));
  if (!options.out.empty()) write_files(options.out, outcomes, options.tolerance);
  if (!options.out.empty() && options.prints_tables()) {
    fmt::print("Written: {}/compare.html, .json and .csv\n", options.out);
  }
  if (!options.json.empty()) write_json(options.json, json_report(bench::to_rows(outcomes)));
  return every_problem_was_solved(outcomes) ? 0 : 1;
}

}  // namespace nsn::cli
