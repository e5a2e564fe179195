#include "bench/study/claims.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/cli/report_json.h"
#include "bench/cli/simulation_options.h"
#include "bench/support/machine.h"
#include "bench/support/run_measures.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"
#include "nsn/models/scenes/scene.h"

namespace nsn::study {
namespace {

/// A command line of `nsn run`, taken apart.
struct RunCommand {
  std::string scene;
  int steps = 0;
  cli::SimulationFlags flags;
};

RunCommand parsed(const std::string& command) {
  constexpr std::string_view kStart = "nsn run ";
  NSN_THROW_UNLESS(command.starts_with(kStart), "'{}' is not a command of nsn run", command);
  RunCommand out;
  cli::Command run;
  run.add_option("scene", out.scene, "").required();
  run.add_option("--steps", out.steps, "");
  cli::add_simulation_flags(run, out.flags);
  try {
    run.parse(command.substr(kStart.size()));
  } catch (const cli::UsageError& error) {
    throw std::invalid_argument(fmt::format("{}: {}", command, error.what()));
  }
  if (out.steps == 0) out.steps = scene_info(out.scene).default_steps;
  return out;
}

Row closed_loop(const std::string& command) {
  const RunCommand given = parsed(command);
  Simulation simulation(make_scene(given.scene, cli::scene_parameters(given.flags)),
                        cli::simulation_options(given.flags), standard_backends());
  bench::RunMeasures measures(simulation);
  for (int k = 0; k < given.steps && measures.finite; ++k) {
    simulation.step();
    measures.add(simulation);
  }
  return measures.row(simulation);
}

/// A file name from any text.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '=';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.substr(0, 200);
}

}  // namespace

ClaimRuns::ClaimRuns(std::string folder, Progress progress)
    : folder_(std::move(folder)), progress_(std::move(progress)) {}

Row ClaimRuns::measured(const std::string& name, const std::function<Row()>& measure) {
  const bool fresh = std::find(fresh_.begin(), fresh_.end(), name) != fresh_.end();
  const std::filesystem::path file = std::filesystem::path(folder_) / (file_name(name) + ".json");
  if (!folder_.empty() && (!again_ || fresh)) {
    std::ifstream in(file);
    const auto json = nlohmann::ordered_json::parse(in, nullptr, false);
    if (json.is_object() && json.value("name", "") == name && json.contains("row")) {
      return json.at("row");
    }
  }
  progress_(name);
  Row row = measure();
  fresh_.push_back(name);
  if (!folder_.empty()) {
    std::filesystem::create_directories(folder_);
    cli::write_json(file.string(), {{"name", name}, {"nsn", bench::version()}, {"row", row}});
  }
  return row;
}

Row ClaimRuns::run(const std::string& command) {
  return measured(command, [&] { return closed_loop(command); });
}

std::vector<Row> ClaimRuns::study(const std::string& name) {
  const Row row = measured("study " + name, [&] {
    StudyOptions options;
    options.progress = progress_;
    return Row{{"rows", study_named(name).run(options).rows}};
  });
  return row.at("rows").get<std::vector<Row>>();
}

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> list = rigid_claims();
    for (auto family : {method_claims, model_claims}) {
      for (Claim& claim : family()) list.push_back(std::move(claim));
    }
    return list;
  }();
  return all;
}

const Claim& claim_named(std::string_view row) {
  std::vector<std::string> names;
  for (const Claim& claim : claims()) {
    if (claim.row == row) return claim;
    names.push_back(claim.row);
  }
  throw std::invalid_argument(fmt::format("unknown claim '{}'{}", row, suggestion(row, names)));
}

Row row_of(const Claim& claim, ClaimRuns& runs) {
  Verdict verdict;
  try {
    verdict = claim.judge(runs);
  } catch (const std::exception& error) {  // a file, a solver or a device that is not here
    verdict = {.measured = "-", .holds = "not measured", .reason = error.what()};
  }
  return {{"row", claim.row},
          {"claim", claim.claim},
          {"commands", fmt::format("{}", fmt::join(claim.commands, "; "))},
          {"measured", verdict.measured},
          {"holds", verdict.holds},
          {"reason", verdict.reason}};
}

Claim claim_of_runs(std::string row, std::string text, std::vector<std::string> commands,
                    bool quick, std::function<Verdict(const std::vector<Row>&)> judge) {
  Claim claim{std::move(row), std::move(text), std::move(commands), quick, {}};
  claim.judge = [commands = claim.commands, judge = std::move(judge)](ClaimRuns& runs) {
    std::vector<Row> rows;
    rows.reserve(commands.size());
    for (const std::string& command : commands) rows.push_back(runs.run(command));
    return judge(rows);
  };
  return claim;
}

std::string verdict_of(const std::vector<bool>& parts) {
  const auto yes = std::count(parts.begin(), parts.end(), true);
  if (yes == static_cast<std::ptrdiff_t>(parts.size())) return "holds";
  return yes == 0 ? "does not hold" : "partly";
}

double number_of(const Row& row, const std::string& key) {
  const Row& value = row.at(key);
  return value.is_number() ? value.get<double>() : HUGE_VAL;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "not finite";
  const double size = std::abs(value);
  return size == 0.0 || (size >= 0.01 && size < 1000.0) ? fmt::format("{:.2g}", value)
                                                        : fmt::format("{:.1e}", value);
}

std::string short_number(const Row& row, const std::string& key) {
  return short_number(number_of(row, key));
}

StudyOutcome claims_study(const StudyOptions& options) {
  StudyOutcome out{
      .name = "claims",
      .title = "What the paper claims",
      .question = "Does each claim of the paper hold here, in runs long enough for it?",
      .findings = {},
      .charts = {},
      .rows = {}};
  for (const std::string& row : options.again) static_cast<void>(claim_named(row));
  ClaimRuns runs(options.folder.empty() ? "" : options.folder + "/runs", options.progress);
  for (const Claim& claim : claims()) {
    if (options.quick && !claim.quick) continue;
    const bool again =
        std::find(options.again.begin(), options.again.end(), claim.row) != options.again.end();
    if (options.all_again || again) {
      runs.forget();
    } else {
      runs.keep();
    }
    options.add(out, row_of(claim, runs));
  }
  std::string counts;
  for (const std::string verdict : {"holds", "partly", "does not hold", "not measured"}) {
    const auto count = std::count_if(out.rows.begin(), out.rows.end(),
                                     [&](const Row& row) { return row.at("holds") == verdict; });
    if (count > 0) counts += fmt::format("{}{}: {}", counts.empty() ? "" : ", ", verdict, count);
  }
  out.findings.push_back(fmt::format("{} claims. {}.", out.rows.size(), counts));
  return out;
}

}  // namespace nsn::study
