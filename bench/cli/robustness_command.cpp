// nsn robustness: how many hard steps each preset solves, and what realtime leaves, over all
// scenes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "backends/standard_backends.h"
#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/progress.h"
#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "core/error.h"
#include "core/runtime.h"
#include "models/scenes/scene.h"
#include "models/simulation.h"

namespace nsn::cli {
namespace {

constexpr double kSolved = 1e-8;  // m/s, fully implicit error

/// A scene with its parameters, as it is sampled.
struct Case {
  std::string scene;
  Options::Assignments parameters;
};

/// All scenes; sliding stacks and walls, the hard ones, with several seeds.
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const SceneInfo& info : scenes()) {
    if (info.name == "sliding-stack") {
      for (int seed = 1; seed <= 6; ++seed)
        list.push_back({info.name, {{"seed", std::to_string(seed)}}});
    } else if (info.name == "sphere-pile") {
      list.push_back({info.name, {{"balls", "60"}}});
    } else if (info.name == "wall") {
      list.push_back({info.name, {{"rows", "5"}, {"columns", "6"}, {"drop", "0.001"}}});
    } else {
      list.push_back({info.name, {}});
    }
  }
  return list;
}

/// What one configuration did on one case.
struct Sample {
  std::vector<double> error;           // m/s, per step
  std::vector<double> factorizations;  // per step
  double energy_gain = 0.0;            // largest of a step beyond the work done on it, J
  double cone_violation = 0.0;         // largest, relative to the normal impulse
  bool blown_up = false;
};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double cone_violation(const Simulation& simulation) {
  double worst = 0.0;
  for (int k = 0; k < simulation.contacts().size(); ++k) {
    const Contact& c = simulation.contacts().contacts()[static_cast<std::size_t>(k)];
    const Vec3 r = simulation.contact_impulse(k);
    const double normal = dot(r, c.normal);
    const double excess = norm(r - normal * c.normal) - c.mu * std::max(normal, 0.0);
    if (normal > 0.0) worst = std::max(worst, excess / normal);
  }
  return worst;
}

Sample run_case(const Case& one, const SimulationOptions& options, int steps) {
  Simulation simulation(make_scene(one.scene, one.parameters), options, standard_backends());
  Sample sample;
  double before = energy(simulation.world());
  const double speed_limit = 1e3;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step();
    sample.error.push_back(report.error.total);
    sample.factorizations.push_back(report.newton_iterations);
    sample.energy_gain =
        std::max(sample.energy_gain, report.energy - before - report.work_external);
    sample.cone_violation = std::max(sample.cone_violation, cone_violation(simulation));
    before = report.energy;
    if (!std::isfinite(report.energy) || report.speed > speed_limit) {
      sample.blown_up = true;
      break;
    }
  }
  return sample;
}

struct Configuration {
  std::string preset;
  std::string linear;  ///< empty: the preset's own
  bool warm = true;
  int iterations = 0;  ///< 0: the preset's own
};

SimulationOptions options_of(const Configuration& c) {
  SimulationOptions options;
  options.newton = newton_preset(c.preset);
  if (!c.linear.empty()) options.newton.linear = {c.linear};
  if (c.preset != "paper") options.newton.warm_start = c.warm;
  if (c.iterations > 0) options.newton.max_iterations = c.iterations;
  return options;
}

Row measure(const Configuration& c, int steps, Progress& progress) {
  std::vector<double> errors;
  std::vector<double> factorizations;
  double log_median = 0.0;
  double log_p95 = 0.0;
  double energy_gain = 0.0;
  double cones = 0.0;
  int blown_up = 0;
  int count = 0;
  for (const Case& one : cases()) {
    progress.step(fmt::format("{} {} {}", c.preset, c.linear, one.scene));
    const Sample sample = run_case(one, options_of(c), steps);
    errors.insert(errors.end(), sample.error.begin(), sample.error.end());
    factorizations.insert(factorizations.end(), sample.factorizations.begin(),
                          sample.factorizations.end());
    log_median += std::log(std::max(quantile(sample.error, 0.5), 1e-16));
    log_p95 += std::log(std::max(quantile(sample.error, 0.95), 1e-16));
    energy_gain = std::max(energy_gain, sample.energy_gain);
    cones = std::max(cones, sample.cone_violation);
    blown_up += sample.blown_up ? 1 : 0;
    ++count;
  }
  const auto solved =
      std::count_if(errors.begin(), errors.end(), [](double e) { return e <= kSolved; });
  return {{"preset", c.preset},
          {"linear", c.linear},
          {"warm", c.warm},
          {"budget", c.iterations},
          {"scenes", count},
          {"steps", errors.size()},
          {"solved_steps", solved},
          {"solved_share", static_cast<double>(solved) / static_cast<double>(errors.size())},
          {"factorizations_mean", mean(factorizations)},
          {"factorizations_median", quantile(factorizations, 0.5)},
          {"error_max_mps", quantile(errors, 1.0)},
          {"error_median_geomean_mps", std::exp(log_median / count)},
          {"error_p95_geomean_mps", std::exp(log_p95 / count)},
          {"energy_gain_max_j", energy_gain},
          {"cone_violation_max", cones},
          {"blown_up_scenes", blown_up}};
}

int run(const CommonOptions& common, int steps) {
  const Runtime runtime(common.threads);
  NSN_THROW_UNLESS(steps >= 1, "--steps {} is not positive", steps);
  const std::vector<Configuration> configurations{{"accurate", "contact-lu", true, 0},
                                                  {"accurate", "contact-lu", false, 0},
                                                  {"accurate", "klu", true, 0},
                                                  {"accurate", "gmres", true, 0},
                                                  {"realtime", "", true, 4},
                                                  {"realtime", "", true, 6},
                                                  {"realtime", "", true, 10},
                                                  {"paper", "", false, 4},
                                                  {"paper", "", false, 6},
                                                  {"paper", "", false, 10}};
  Progress progress("robustness", static_cast<long>(configurations.size() * cases().size()),
                    common.prints_tables());
  std::vector<Row> rows;
  Table table({{"preset"},
               {"linear"},
               {"start"},
               {"budget", Align::kRight},
               {"steps", Align::kRight},
               {"<= 1e-8 m/s", Align::kRight},
               {"factorisations mean", Align::kRight},
               {"median", Align::kRight},
               {"error median", Align::kRight},
               {"95 %", Align::kRight},
               {"energy gain J", Align::kRight},
               {"cones", Align::kRight},
               {"blown up", Align::kRight}});
  for (const Configuration& c : configurations) {
    const Row row = measure(c, steps, progress);
    rows.push_back(row);
    const auto number = [&](const char* key) { return row[key].get<double>(); };
    table.add({c.preset, c.linear.empty() ? "preset's" : c.linear, c.warm ? "warm" : "cold",
               c.iterations > 0 ? std::to_string(c.iterations) : "-",
               std::to_string(row["steps"].get<int>()),
               fmt::format("{:.2f} %", 100.0 * number("solved_share")),
               fmt::format("{:.2f}", number("factorizations_mean")),
               fmt::format("{:.0f}", number("factorizations_median")),
               fmt::format("{:.1e}", number("error_median_geomean_mps")),
               fmt::format("{:.1e}", number("error_p95_geomean_mps")),
               fmt::format("{:.1e}", number("energy_gain_max_j")),
               fmt::format("{:.1e}", number("cone_violation_max")),
               std::to_string(row["blown_up_scenes"].get<int>())});
  }
  if (common.prints_tables()) {
    fmt::print("{}", table.text());
    fmt::print("error: geometric mean over scenes of the median and the 95 % quantile, m/s\n");
  }
  if (!common.json.empty()) write_json(common.json, json_report(rows));
  return 0;
}

}  // namespace

void add_robustness_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("robustness", "share of hard steps that each preset solves");
  auto common = std::make_shared<CommonOptions>();
  auto steps = std::make_shared<int>(60);
  command->add_option("--steps", *steps, "steps of each scene")->capture_default_str();
  add_threads_option(*command, *common);
  add_json_option(*command, *common);
  add_quiet_option(*command, *common);
  command->callback([=, &exit_code] { exit_code = run(*common, *steps); });
}

}  // namespace nsn::cli
