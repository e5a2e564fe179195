// nsn robustness: how many hard steps each preset solves, and what realtime leaves, over all
// scenes.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/outputs.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/cli/words.h"
#include "bench/robustness/closed_loop.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"
#include "nsn/core/base/runtime.h"

namespace nsn::cli {
namespace {

using robustness::Case;
using robustness::Sample;
using robustness::Summary;

struct Choices {
  int steps = 60;
  std::vector<std::string> presets;  ///< empty: all
  std::vector<std::string> scenes;   ///< empty: the rigid ones
  bool by_scene = false;
};

struct Configuration {
  std::string preset;
  std::string linear;  ///< empty: the preset's own
  bool warm = true;
  int iterations = 0;  ///< 0: the preset's own
};

const std::vector<Configuration>& all_configurations() {
  static const std::vector<Configuration> list{{"accurate", "contact-lu", true, 0},
                                               {"accurate", "contact-lu", false, 0},
                                               {"accurate", "klu", true, 0},
                                               {"accurate", "gmres", true, 0},
                                               {"realtime", "", true, 4},
                                               {"realtime", "", true, 6},
                                               {"realtime", "", true, 10},
                                               {"paper", "", false, 4},
                                               {"paper", "", false, 6},
                                               {"paper", "", false, 10}};
  return list;
}

std::vector<Configuration> chosen(const Choices& choices) {
  for (const std::string& name : choices.presets) (void)newton_preset(name);  // throws if unknown
  std::vector<Configuration> list;
  for (const Configuration& c : all_configurations()) {
    const auto& names = choices.presets;
    if (!names.empty() && std::find(names.begin(), names.end(), c.preset) == names.end()) continue;
    if (!c.linear.empty() && !standard_backends().info(c.linear).available()) {
      fmt::print(stderr, "left out: {} with {}: {}\n", c.preset, c.linear,
                 standard_backends().info(c.linear).reason);
      continue;
    }
    list.push_back(c);
  }
  return list;
}

SimulationOptions options_of(const Configuration& c) {
  SimulationOptions options;
  options.newton = newton_preset(c.preset);
  if (!c.linear.empty()) options.newton.linear = {c.linear};
  if (c.preset != "paper") options.newton.warm_start = c.warm;
  if (c.iterations > 0) options.newton.max_iterations = c.iterations;
  return options;
}

Row row_of(const Configuration& c, const std::string& scene, const Summary& s) {
  return {{"preset", c.preset},
          {"linear", c.linear},
          {"warm", c.warm},
          {"budget", c.iterations},
          {"scene", scene},
          {"scenes", s.cases},
          {"steps", s.steps},
          {"solved_steps", s.solved},
          {"solved_share", static_cast<double>(s.solved) / std::max(s.steps, 1)},
          {"factorizations_mean", s.factorizations_mean},
          {"factorizations_median", s.factorizations_median},
          {"error_max_mps", s.error_max},
          {"error_median_geomean_mps", s.error_median},
          {"error_p95_geomean_mps", s.error_p95},
          {"energy_gain_max_mg", s.energy_gain},
          {"cone_violation_max", s.cone_violation},
          {"handed_over_steps", s.handed_over},
          {"blown_up_scenes", s.blown_up}};
}

Table empty_table(bool by_scene) {
  return Table({{by_scene ? "scene" : "preset"},
                {"linear"},
                {"start"},
                {"budget", Align::kRight},
                {"steps", Align::kRight},
                {"<= 1e-8 m/s", Align::kRight},
                {"factorisations mean", Align::kRight},
                {"median", Align::kRight},
                {"error median", Align::kRight},
                {"95 %", Align::kRight},
                {"max", Align::kRight},
                {"energy gain", Align::kRight},
                {"cones", Align::kRight},
                {"blown up", Align::kRight}});
}

void add(Table& table, const Configuration& c, const std::string& first, const Summary& s) {
  table.add({first, c.linear.empty() ? "preset's" : c.linear, c.warm ? "warm" : "cold",
             c.iterations > 0 ? std::to_string(c.iterations) : "-", std::to_string(s.steps),
             fmt::format("{:.2f} %", 100.0 * s.solved / std::max(s.steps, 1)),
             fmt::format("{:.2f}", s.factorizations_mean),
             fmt::format("{:.0f}", s.factorizations_median), fmt::format("{:.1e}", s.error_median),
             fmt::format("{:.1e}", s.error_p95), fmt::format("{:.1e}", s.error_max),
             fmt::format("{:.1e}", s.energy_gain), fmt::format("{:.1e}", s.cone_violation),
             std::to_string(s.blown_up)});
}

int run(const CommonOptions& common, const Choices& choices) {
  const Runtime runtime(common.threads);
  NSN_THROW_UNLESS(choices.steps >= 1, "--steps {} is not positive", choices.steps);
  const std::vector<Configuration> configurations = chosen(choices);
  const std::vector<Case> cases =
      choices.scenes.empty() ? robustness::all_cases() : robustness::cases_of(choices.scenes);
  probe_outputs(common);
  Progress progress("robustness", static_cast<long>(configurations.size() * cases.size()),
                    common.prints_tables());
  std::vector<Row> rows;
  Table total = empty_table(false);
  Table details = empty_table(true);
  for (const Configuration& c : configurations) {
    std::vector<Sample> samples;
    for (const Case& one : cases) {
      progress.step(fmt::format("{} {} {}", c.preset, c.linear, one.scene));
      samples.push_back(robustness::run(one, options_of(c), choices.steps));
      if (!choices.by_scene) continue;
      const Summary own = robustness::summarise({samples.back()});
      add(details, c, fmt::format("{}: {}", c.preset, one.name()), own);
      rows.push_back(row_of(c, one.name(), own));
    }
    const Summary summary = robustness::summarise(samples);
    add(total, c, c.preset, summary);
    rows.push_back(row_of(c, "all", summary));
  }
  if (common.prints_tables()) {
    if (choices.by_scene) fmt::print("{}\n", details.text());
    fmt::print("{}", total.text());
    fmt::print(
        "error: geometric mean over scenes of the median and the 95 % quantile, m/s; "
        "energy gain: largest of a step without work, in units of the weight times 1 m\n");
  }
  if (!common.json.empty()) write_json(common.json, json_report(rows));
  return 0;
}

}  // namespace

void add_robustness_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("robustness", "share of hard steps that each preset solves");
  auto common = std::make_shared<CommonOptions>();
  auto choices = std::make_shared<Choices>();
  command.add_option("--steps", choices->steps, "steps of each scene").show_default();
  command.add_option("--presets", choices->presets, "presets to run (default: all)")
      .separated_by(',')
      .completes(list_of(preset_words()));
  command
      .add_option("--scenes", choices->scenes,
                  "scenes to run, any of `nsn scenes` (default: 18 of rigid bodies, 23 cases)")
      .separated_by(',')
      .completes(list_of(scene_words()));
  command.add_flag("--by-scene", choices->by_scene, "one line per scene too");
  add_threads_option(command, *common);
  add_json_option(command, *common);
  add_quiet_option(command, *common);
  command.callback([=, &exit_code] { exit_code = run(*common, *choices); });
}

}  // namespace nsn::cli
