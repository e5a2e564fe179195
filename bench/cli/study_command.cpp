// nsn study NAME...: measures what the method does, and writes one page about it.
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
#include "bench/study/study.h"
#include "bench/study/study_page.h"
#include "bench/support/machine.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/atomic_file.h"

namespace nsn::cli {
namespace {

struct StudyFlags : CommonOptions {
  std::vector<std::string> names;
  bool quick = false;
  bool again = false;
  std::vector<std::string> again_rows;  ///< of studies that are measured row by row; none: all
};

std::vector<study::Study> chosen(const std::vector<std::string>& names) {
  std::vector<study::Study> out;
  for (const std::string& name : names) {
    if (name != "all") {
      out.push_back(study::study_named(name));
      continue;
    }
    for (const study::Study& study : study::studies()) {
      if (!study.is_long) out.push_back(study);
    }
  }
  return out;
}

/// What an earlier call left, if it was made by this version with the same choices.
std::optional<study::StudyOutcome> kept(const std::filesystem::path& file, bool quick) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(in, nullptr, false);
  if (!json.is_object() || json.value("nsn", "") != bench::version() ||
      json.value("quick", !quick) != quick || !json.contains("outcome")) {
    return std::nullopt;
  }
  return study::from_json(json.at("outcome"));
}

void keep(const std::filesystem::path& file, const study::StudyOutcome& outcome, bool quick) {
  nlohmann::ordered_json json = json_report(outcome.rows);
  json["quick"] = quick;
  json["outcome"] = study::to_json(outcome);
  write_json(file.string(), json);
}

struct Measured {
  study::StudyOutcome outcome;
  bool whole = false;  ///< no interrupt ended it
};

/// The rows of a study, in its CSV from the first one on. An interrupt leaves those that there are.
Measured measure(const study::Study& study, const StudyFlags& flags) {
  Progress progress(study.name, 0, flags.prints_tables());
  RowFile table(std::filesystem::path(flags.out) / (study.name + ".csv"));
  study::StudyOutcome partial{.name = study.name,
                              .title = study.name,
                              .question = study.summary,
                              .findings = {"Stopped before its end."},
                              .charts = {},
                              .rows = {}};
  study::StudyOptions options;
  options.quick = flags.quick;
  options.folder = (std::filesystem::path(flags.out) / study.name).string();
  options.all_again = flags.again && flags.again_rows.empty();
  options.again = flags.again_rows;
  options.pieces = [&](std::size_t count) { progress.set_total(static_cast<long>(count)); };
  options.progress = [&](std::string_view what) {
    if (interrupted()) throw Interrupted{};
    progress.step(what);
  };
  options.measured = [&](const study::Row& row) {
    partial.rows.push_back(row);
    table.add({row});
  };
  try {
    study::StudyOutcome outcome = study.run(options);
    table.discard();  // the final one may hold more: what the study adds at its end
    return {std::move(outcome), true};
  } catch (const Interrupted&) {
    return {std::move(partial), false};
  }
}

void print(const study::StudyOutcome& outcome) {
  fmt::print("{}: {}\n", outcome.name, outcome.question);
  for (const std::string& finding : outcome.findings) fmt::print("  {}\n", finding);
  fmt::print("\n{}\n", study::table_text(outcome));
}

/// What an earlier call left, or measured now and kept. Returns where an interrupt ended it; empty: nowhere.
std::string collect(const std::vector<study::Study>& studies, const StudyFlags& flags,
                    std::vector<study::StudyOutcome>& outcomes) {
  const std::filesystem::path out = flags.out;
  for (const study::Study& study : studies) {
    const auto file = out / (study.name + ".json");
    // A long study keeps its rows by itself.
    auto outcome = flags.again || study.is_long ? std::nullopt : kept(file, flags.quick);
    if (!outcome) {
      Measured measured = measure(study, flags);
      outcome = std::move(measured.outcome);
      if (!measured.whole) {
        const auto rows = outcome->rows.size();
        outcomes.push_back(std::move(*outcome));
        return stopped_at(fmt::format("row {} of the study {}", rows, study.name));
      }
      keep(file, *outcome, flags.quick);
      write_csv(out / (study.name + ".csv"), to_csv(outcome->rows), false);
    }
    if (flags.prints_tables()) print(*outcome);
    outcomes.push_back(std::move(*outcome));
  }
  return {};
}

int run(const StudyFlags& flags) {
  note_interrupts();
  const Runtime runtime(flags.threads);
  const std::vector<study::Study> studies = chosen(flags.names);
  probe_outputs(flags);
  std::vector<study::StudyOutcome> outcomes;
  const std::string stopped = collect(studies, flags, outcomes);
  const std::filesystem::path out = flags.out;
  const bench::Machine machine = bench::this_machine();
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"command", bench::command_line()},
      {"date", bench::date_text()},
      {"machine", one_line(machine)}};
  const auto pictures =
      stopped.empty() ? study::scene_pictures(outcomes) : std::vector<study::NamedPicture>();
  write_file(out / "study.html", study::study_page(outcomes, facts, pictures, stopped));
  if (flags.prints_tables()) fmt::print("Written: {}\n", (out / "study.html").string());
  return exit_code(0);
}

constexpr const char* kEveryRow = "";  // --again without a row

Completion study_words() {
  return [](const std::vector<std::string>&) {
    Candidates all;
    for (const study::Study& study : study::studies()) all.push_back({study.name, study.summary});
    all.push_back({"all", "every one but the long ones"});
    return all;
  };
}

std::string list_of_studies() {
  std::string text = "Studies:\n";
  for (const study::Study& study : study::studies()) {
    text += fmt::format("  {:20} {}\n", study.name, study.summary);
  }
  return text +
         "  all                  every one but the long ones\nA study that was made before is "
         "kept; "
         "--again measures it again. A long one goes on where it was interrupted.";
}

}  // namespace

void add_study_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("study", "measure what the method does, as one page");
  auto flags = std::make_shared<StudyFlags>();
  flags->out = "out/study";
  command.add_option("NAME", flags->names, "studies, or all").required().completes(study_words());
  command.add_flag("--quick", flags->quick, "fewer scenes and iterations");
  command
      .add_function(
          "--again",
          [flags](const std::vector<std::string>& rows) {
            flags->again = true;
            for (const std::string& row : rows) {
              if (row != kEveryRow) flags->again_rows.push_back(row);
            }
          },
          "measure again what an earlier call left; of claims and additions: these rows alone")
      .type_name("[ROW]")
      .value_or(kEveryRow);
  add_threads_option(command, *flags);
  add_out_option(command, *flags, "folder for study.html and a .json and .csv per study");
  add_quiet_option(command, *flags);
  command.footer(list_of_studies());
  command.callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace nsn::cli
