// nsn sweep SCENE --over key=a,b,c ...: every combination, each a closed-loop run, as one page.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/interrupt.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/row_file.h"
#include "bench/cli/words.h"
#include "bench/study/study_page.h"
#include "bench/support/machine.h"
#include "bench/sweep/sweep.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::cli {
namespace {

struct SweepFlags : CommonOptions {
  sweep::Sweep sweep;
  std::vector<std::string> over;
  std::optional<int> steps;  ///< none: the scene's own, 240 at most
  bool again = false;
};

/// All that a cell's answer depends on, but for the machine.
std::string identity(const SweepFlags& flags, const std::string& shared, const sweep::Cell& cell) {
  return fmt::format("nsn {}\nscene {}\nsteps {}\nthreads {}\n{}{}\n", bench::version(),
                     flags.sweep.scene, flags.sweep.steps, flags.threads, shared,
                     sweep::name_of(flags.sweep, cell));
}

/// The choices on the command line that all cells share, one a line.
std::string shared_choices(const Command& command) {
  Command probe;
  SimulationFlags none;
  add_simulation_flags(probe, none);
  std::string text;
  for (const OptionView& option : command.options()) {
    if (!probe.has_option(option.name)) continue;
    for (const std::string& value : option.values) text += option.name + " " + value + "\n";
  }
  return text;
}

std::string hashed(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

/// A cell that an earlier call measured.
std::optional<Row> kept(const std::filesystem::path& file, const std::string& cell) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(in, nullptr, false);
  if (!json.is_object() || json.value("cell", "") != cell || !json.contains("row")) {
    return std::nullopt;
  }
  return json.at("row");
}

struct Measured {
  std::vector<Row> rows;
  std::string stopped;  ///< where an interrupt ended the sweep
};

Measured measure(const SweepFlags& flags, const std::string& shared) {
  const std::filesystem::path folder = std::filesystem::path(flags.out) / "cells";
  std::filesystem::create_directories(folder);
  const std::vector<sweep::Cell> cells = sweep::cells(flags.sweep);
  Progress progress("sweep", static_cast<long>(cells.size()), flags.prints_tables());
  Measured all;
  for (const sweep::Cell& cell : cells) {
    if (interrupted()) {
      all.stopped = stopped_at(fmt::format("cell {} of {}", all.rows.size(), cells.size()));
      break;
    }
    progress.step(sweep::name_of(flags.sweep, cell));
    const std::string id = identity(flags, shared, cell);
    const std::filesystem::path file = folder / (hashed(id) + ".json");
    auto row = flags.again ? std::nullopt : kept(file, id);
    if (!row) {
      row = sweep::run_cell(flags.sweep, cell);
      write_json(file.string(), {{"cell", id}, {"row", *row}});
    }
    all.rows.push_back(std::move(*row));
  }
  return all;
}

int run(SweepFlags& flags, const Command& command) {
  note_interrupts();
  const Runtime runtime(flags.threads);
  for (const std::string& text : flags.over) {
    flags.sweep.factors.push_back(sweep::parse_factor(text));
  }
  const int own = std::min(scene_info(flags.sweep.scene).default_steps, 240);
  flags.sweep.steps = flags.steps.value_or(own);
  NSN_THROW_UNLESS(flags.sweep.steps >= 0, "--steps {} is negative", flags.sweep.steps);
  sweep::check(flags.sweep);
  probe_outputs(flags);
  const auto [rows, stopped] = measure(flags, shared_choices(command));
  const auto outcomes = sweep::sweep_outcomes(flags.sweep, rows);
  const std::filesystem::path out = flags.out;
  write_csv(out / "sweep.csv", to_csv(outcomes.front().rows), !stopped.empty());
  write_file(out / "sweep.html", study::study_page(outcomes,
                                                   {{"command", bench::command_line()},
                                                    {"date", bench::date_text()},
                                                    {"machine", one_line(bench::this_machine())}},
                                                   {}, stopped));
  if (!flags.json.empty()) write_json(flags.json, json_report(outcomes.front().rows, stopped));
  if (flags.prints_tables()) {
    for (const study::StudyOutcome& outcome : outcomes) {
      fmt::print("{}\n", outcome.title);
      for (const std::string& finding : outcome.findings) fmt::print("  {}\n", finding);
      fmt::print("\n{}\n", study::table_text(outcome));
    }
    fmt::print("Written: {}\n", (out / "sweep.html").string());
  }
  return exit_code(0);
}

}  // namespace

void add_sweep_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("sweep", "run a scene with every combination of choices");
  auto flags = std::make_shared<SweepFlags>();
  flags->out = "out/sweep";
  command.add_option("scene", flags->sweep.scene, "which scene (nsn scenes lists them)")
      .required()
      .completes(scene_words());
  command
      .add_option("--over", flags->over,
                  "key=a,b,c: an option of nsn run without dashes, preconditioner, or a parameter "
                  "of the scene; values with commas are separated by ';'")
      .required();
  command.add_option("--steps", flags->steps,
                     "of each run (default: the scene's own, 240 at most)");
  command.add_flag("--again", flags->again, "measure again what an earlier call left");
  add_simulation_flags(command, flags->sweep.flags);
  add_threads_option(command, *flags);
  add_json_option(command, *flags);
  add_out_option(command, *flags, "folder for sweep.html, sweep.csv and the cells");
  add_quiet_option(command, *flags);
  command.footer(
      "Cells that were measured before with the same choices are kept, also those of a sweep that "
      "was\nstopped; --again measures them again.\nExample: nsn sweep arch --over "
      "linear=pcr,cholmod --over r=identity,effective-mass "
      "--preset paper");
  command.callback([=, &exit_code] { exit_code = run(*flags, command); });
}

}  // namespace nsn::cli
