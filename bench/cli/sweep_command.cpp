// nsn sweep SCENE --over key=a,b,c ...: every combination, each a closed-loop run, as one page.
#include <ctime>
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
  std::string shard;     ///< "I/N"; empty: all cells, and the reports
  bool collect = false;  ///< the reports of what is there, no run
};

/// One of N parts of the cells: those whose place, from 0, is `first` modulo `count`.
struct Shard {
  std::size_t first = 0;
  std::size_t count = 1;

  bool has(std::size_t place) const { return place % count == first; }
};

Shard shard_of(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  const auto number = [&](const std::string& part) {
    const bool digits = !part.empty() && part.size() < 10 &&
                        part.find_first_not_of("0123456789") == std::string::npos;
    NSN_THROW_UNLESS(digits, "--shard '{}' is not I/N, as 3/64", text);
    return static_cast<std::size_t>(std::stoul(part));
  };
  const std::size_t part = number(text.substr(0, slash));
  const std::size_t count = number(slash == std::string::npos ? "" : text.substr(slash + 1));
  NSN_THROW_UNLESS(part >= 1 && part <= count, "--shard {}: parts are 1/{} ... {}/{}", text, count,
                   count, count);
  return {part - 1, count};
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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

/// A cell on disk, whole or not at all, also after a loss of power.
void keep(const std::filesystem::path& file, const std::string& id, const Row& row, double cpu) {
  const nlohmann::ordered_json json{{"cell", id},
                                    {"row", row},
                                    {"machine", one_line(bench::this_machine())},
                                    {"cpu_seconds", cpu}};
  AtomicFile out(file);
  out.write(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  out.sync();
  out.commit();
}

struct Measured {
  std::vector<Row> rows;
  int missing = 0;
  std::string stopped;  ///< where an interrupt ended the sweep
};

Measured measure(const SweepFlags& flags, const std::string& shared) {
  const std::filesystem::path folder = std::filesystem::path(flags.out) / "cells";
  std::filesystem::create_directories(folder);
  const std::vector<sweep::Cell> cells = sweep::cells(flags.sweep);
  const Shard shard = shard_of(flags.shard);
  Progress progress("sweep", static_cast<long>(cells.size() / shard.count + 1),
                    flags.prints_tables());
  Measured all;
  for (std::size_t place = 0; place < cells.size(); ++place) {
    const sweep::Cell& cell = cells[place];
    if (!shard.has(place)) continue;
    if (interrupted()) {
      all.stopped = stopped_at(fmt::format("cell {} of {}", all.rows.size(), cells.size()));
      break;
    }
    progress.step(sweep::name_of(flags.sweep, cell));
    const std::string id = identity(flags, shared, cell);
    const std::filesystem::path file = folder / (hashed(id) + ".json");
    auto row = flags.again ? std::nullopt : kept(file, id);
    if (!row && flags.collect) {
      row = sweep::row_without_run(flags.sweep, cell, "not run");
      ++all.missing;
    } else if (!row) {
      const double begin = processor_seconds();
      row = sweep::run_cell(flags.sweep, cell);
      keep(file, id, *row, processor_seconds() - begin);
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
  NSN_THROW_UNLESS(!flags.collect || (flags.shard.empty() && !flags.again),
                   "--collect runs nothing: it goes with neither --shard nor --again");
  static_cast<void>(shard_of(flags.shard));
  sweep::check(flags.sweep);
  probe_outputs(flags);
  const auto [rows, missing, stopped] = measure(flags, shared_choices(command));
  if (!flags.shard.empty()) {  // the reports are those of --collect
    if (flags.prints_tables()) {
      fmt::print("{} cells of shard {} are in {}/cells\n", rows.size(), flags.shard, flags.out);
    }
    return exit_code(0);
  }
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
  if (missing > 0) fmt::print(stderr, "nsn: {} of {} cells were not run\n", missing, rows.size());
  return exit_code(missing > 0 ? 1 : 0);
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
  command
      .add_option("--shard", flags->shard,
                  "part I of N of the cells, without reports: for Slurm arrays and GNU parallel")
      .type_name("I/N");
  command.add_flag("--collect", flags->collect, "no run: the reports of the cells that are there");
  add_simulation_flags(command, flags->sweep.flags);
  add_threads_option(command, *flags);
  add_json_option(command, *flags);
  add_out_option(command, *flags, "folder for sweep.html, sweep.csv and the cells");
  add_quiet_option(command, *flags);
  command.footer(
      "Cells that were measured before with the same choices are kept, also those of a sweep that "
      "was\nstopped; --again measures them again.\nExample: nsn sweep arch --over "
      "linear=pcr,cholmod --over r=identity,effective-mass "
      "--preset paper\n"
      "On many machines: nsn sweep ... --shard $SLURM_ARRAY_TASK_ID/64 --out /shared/s in an array "
      "of 64, then\n"
      "nsn sweep ... --out /shared/s --collect (exit code 1 while cells are missing).");
  command.callback([=, &exit_code] { exit_code = run(*flags, command); });
}

}  // namespace nsn::cli
