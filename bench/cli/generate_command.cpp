// nsn generate: friction problems of known kinds, as FCLIB files.
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/interrupt.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/words.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/fclib.h"
#include "nsn/models/problems/generated_problem.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

struct GenerateOptions : CommonOptions {
  GeneratorOptions problem;
  int count = 1;
};

fs::path name_of(const GeneratorOptions& problem) {
  return fmt::format("{}-{}-mu{:g}-seed{}.hdf5", problem.kind, problem.contacts, problem.mu,
                     problem.seed);
}

void write(const fs::path& path, const GeneratorOptions& options, const GeneratedProblem& made) {
  FclibNotes notes;
  notes.title = options.kind;
  notes.description = made.description;
  notes.r = made.r;
  notes.u = made.u;
  std::visit([&](const auto& problem) { write_fclib(path.string(), problem, notes); },
             made.problem);
}

int run(const GenerateOptions& options) {
  NSN_THROW_UNLESS(!options.out.empty(), "--out DIR: where the files are to go");
  note_interrupts();
  const Runtime runtime(1);
  GeneratorOptions problem = options.problem;
  problem.seed = options.seed;
  GeneratedProblem made = generate_problem(problem);  // refuses before anything is written
  probe_outputs(options);
  fs::create_directories(options.out);
  Progress progress("generate", options.count, options.prints_tables());
  for (int k = 0; k < options.count && !interrupted(); ++k, ++problem.seed) {
    if (k > 0) made = generate_problem(problem);
    const fs::path path = fs::path(options.out) / name_of(problem);
    progress.step(path.filename().string());
    write(path, problem, made);
    if (options.prints_tables()) fmt::print("{}: {}\n", path.string(), made.description);
  }
  return exit_code(0);
}

}  // namespace

void add_generate_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("generate", "friction problems of known kinds, from a seed");
  auto options = std::make_shared<GenerateOptions>();
  command
      .add_option("KIND", options->problem.kind,
                  fmt::format("one of {}", fmt::join(generated_kinds(), ", ")))
      .required()
      .completes(words(generated_kinds()));
  command.add_option("--contacts", options->problem.contacts, "about as many")
      .range(1, 1'000'000)
      .show_default();
  command.add_option("--mu", options->problem.mu, "friction coefficient")
      .range(0.0, 1e9)
      .show_default();
  command
      .add_option("--rank", options->problem.rank,
                  "random-delassus: degrees of freedom over 3 contacts")
      .range(0.0, 1.0)
      .show_default();
  add_seed_option(command, *options);
  command
      .add_option("--count", options->count,
                  "problems; each has the seed after that of the one before")
      .range(1, 1'000'000)
      .show_default();
  add_out_option(command, *options, "folder of the files, KIND-CONTACTS-muMU-seedSEED.hdf5");
  add_quiet_option(command, *options);
  command.footer(
      "FCLIB files for `nsn solve`. Their description says what is known of a solution: planted, "
      "strictly\n"
      "feasible, unknown or infeasible. The same seed gives the same file on every machine.");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
