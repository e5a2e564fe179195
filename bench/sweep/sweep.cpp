#include "bench/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/support/run_hash.h"
#include "bench/support/run_measures.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/base/error.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::sweep {
namespace {

using study::Row;
using study::StudyOutcome;

constexpr std::string_view kPreconditioner = "preconditioner";
constexpr std::size_t kMostPoints = 24;  // cells that one chart can name
constexpr double kFloor = 1e-16;         // a measure of zero has no logarithm

/// What is compared between cells; smaller is better in all of them.
struct Measure {
  std::string key;
  std::string name;
};
const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = {{"error_median_mps", "median error"},
                                           {"error_max_mps", "largest error"},
                                           {"share_above_1e_8_mps", "share of unsolved steps"},
                                           {"newton_iterations_mean", "Newton iterations"},
                                           {"solve_ms_median", "time"},
                                           {"penetration_max_m", "penetration"},
                                           {"joint_drift_max_m", "joint drift"},
                                           {"energy_gain_max_j", "energy gain"}};
  return all;
}

/// Gives the first linear solver a preconditioner.
void precondition(const std::string& value, cli::SimulationFlags& flags) {
  auto& given = flags.newton;
  const auto is_linear = [](const auto& option) { return option.first == "linear"; };
  if (std::none_of(given.begin(), given.end(), is_linear)) {
    for (const std::string& solver : newton_preset(flags.preset).linear) {
      given.emplace_back("linear", solver);
    }
  }
  std::string& first = std::find_if(given.begin(), given.end(), is_linear)->second;
  first += fmt::format("{}precond={}", first.find(':') == std::string::npos ? ":" : ",", value);
}

/// Puts one factor's value where it belongs; returns false if the key is none of ours.
bool apply(const std::string& key, const std::string& value, cli::SimulationFlags& flags) {
  if (key == kPreconditioner) {
    precondition(value, flags);
    return true;
  }
  cli::Command into;
  cli::add_simulation_flags(into, flags);
  if (key == "set" || !into.has_option("--" + key)) return false;
  if (key != "policy") std::erase_if(flags.newton, [&](auto& given) { return given.first == key; });
  try {
    into.parse(std::vector<std::string>{fmt::format("--{}={}", key, value)});
  } catch (const cli::UsageError& error) {
    throw std::invalid_argument(fmt::format("{}={}: {}", key, value, error.what()));
  }
  return true;
}

struct Setting {
  cli::SimulationFlags flags;
  Options::Assignments parameters;
};

/// The preconditioner belongs to the linear solver: it comes last, whatever the order of factors.
Setting setting_of(const Sweep& sweep, const Cell& cell) {
  Setting out{sweep.flags, cli::scene_parameters(sweep.flags)};
  for (const bool last : {false, true}) {
    for (std::size_t k = 0; k < cell.size(); ++k) {
      const std::string& key = sweep.factors[k].key;
      if ((key == kPreconditioner) != last) continue;
      if (!apply(key, cell[k], out.flags)) out.parameters.emplace_back(key, cell[k]);
    }
  }
  return out;
}

std::vector<std::string> known_keys(const SceneInfo& scene) {
  std::vector<std::string> names{std::string(kPreconditioner)};
  cli::Command options;
  cli::SimulationFlags flags;
  cli::add_simulation_flags(options, flags);
  for (const cli::OptionView& option : options.options()) names.push_back(option.name.substr(2));
  for (const OptionSpec& spec : scene.options) names.push_back(spec.key);
  return names;
}

std::optional<double> number(const Row& row, const std::string& key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// Geometric mean of a measure over the rows with factor = value; nothing where all failed.
std::optional<double> mean_at(const std::vector<Row>& rows, const std::string& key,
                              const std::string& value, const std::string& measure) {
  double sum = 0.0;
  int count = 0;
  for (const Row& row : rows) {
    const auto v = number(row, measure);
    if (row.at(key) != value || !v) continue;
    sum += std::log(std::max(*v, kFloor));
    ++count;
  }
  if (count == 0) return std::nullopt;
  const double mean = std::exp(sum / count);
  return mean > 1.001 * kFloor ? mean : 0.0;
}

/// The names of the measures in which a row is as good as any, where rows differ at all.
void mark_best(std::vector<Row>& rows) {
  for (Row& row : rows) row["best_in"] = "";
  for (const Measure& measure : measures()) {
    double least = HUGE_VAL;
    double most = -HUGE_VAL;
    for (const Row& row : rows) {
      if (const auto v = number(row, measure.key)) {
        least = std::min(least, *v);
        most = std::max(most, *v);
      }
    }
    if (!(least < most)) continue;
    for (Row& row : rows) {
      if (number(row, measure.key) != least) continue;
      std::string text = row["best_in"];
      row["best_in"] = text.empty() ? measure.name : text + ", " + measure.name;
    }
  }
}

/// All rows that have the least of a measure, in their order.
std::vector<const Row*> best(const std::vector<Row>& rows, const std::string& key) {
  std::vector<const Row*> found;
  for (const Row& row : rows) {
    const auto v = number(row, key);
    if (!v || (!found.empty() && *v > *number(*found.front(), key))) continue;
    if (!found.empty() && *v < *number(*found.front(), key)) found.clear();
    found.push_back(&row);
  }
  return found;
}

/// "pcr", "pcr and pcg (alike)", "pcr, pcg and 5 more (alike)"
template <class NameOf>
std::string names_of(const std::vector<const Row*>& rows, const NameOf& name) {
  std::string first = name(*rows[0]);
  if (rows.size() == 1) return first;
  const std::string second = name(*rows[1]);
  if (rows.size() == 2) return fmt::format("{} and {} (alike)", first, second);
  return fmt::format("{}, {} and {} more (alike)", first, second, rows.size() - 2);
}

/// Groups of cells that differ in one factor alone, and in how many of them it changes nothing: the
/// runs are the same bit by bit.
struct Sameness {
  int groups = 0;
  int identical = 0;

  bool always() const { return groups > 0 && identical == groups; }
};

Sameness sameness(const std::vector<Factor>& factors, const std::string& key,
                  const std::vector<Row>& rows) {
  std::map<std::vector<std::string>, std::vector<std::string>> groups;
  for (const Row& row : rows) {
    if (!row.contains("hash") || !row.at("hash").is_string()) continue;
    std::vector<std::string> others;
    for (const Factor& factor : factors) {
      if (factor.key != key) others.push_back(row.at(factor.key));
    }
    groups[others].push_back(row.at("hash"));
  }
  Sameness out;
  for (const auto& group : groups) {
    const std::vector<std::string>& hashes = group.second;
    if (hashes.size() < 2) continue;
    ++out.groups;
    const bool same = std::all_of(hashes.begin(), hashes.end(),
                                  [&](const std::string& hash) { return hash == hashes.front(); });
    out.identical += same ? 1 : 0;
  }
  return out;
}

Cell cell_of(const Sweep& sweep, const Row& row) {
  Cell cell;
  for (const Factor& factor : sweep.factors) cell.push_back(row.at(factor.key));
  return cell;
}

/// The factor whose values differ most in a measure, and by how much.
std::string strongest(const Sweep& sweep, const std::vector<Row>& rows, const Measure& measure) {
  std::string name;
  double largest = 1.0;
  for (const Factor& factor : sweep.factors) {
    if (sameness(sweep.factors, factor.key, rows).always()) continue;
    double least = HUGE_VAL;
    double most = 0.0;
    for (const std::string& value : factor.values) {
      const auto mean = mean_at(rows, factor.key, value, measure.key);
      if (!mean) continue;
      least = std::min(least, std::max(*mean, kFloor));
      most = std::max(most, std::max(*mean, kFloor));
    }
    if (most / least > largest) {
      largest = most / least;
      name = factor.key;
    }
  }
  return name.empty()
             ? fmt::format("no factor changes the {}", measure.name)
             : fmt::format("{} decides the {} most (a factor of {:.3g} between its values)", name,
                           measure.name, largest);
}

report::Chart scatter(const Sweep& sweep, const std::vector<Row>& rows) {
  report::Chart chart;
  chart.title = "Error over time, one mark per cell";
  chart.x = {
      .label = "solve, ms per step (median)", .scale = report::Scale::kLog, .min = {}, .max = {}};
  chart.y = {.label = "error, m/s (median)", .scale = report::Scale::kLog, .min = {}, .max = {}};
  for (const Row& row : rows) {
    const auto x = number(row, "solve_ms_median");
    const auto y = number(row, "error_median_mps");
    if (!x || !y) continue;
    report::Series point;
    point.name = name_of(sweep, cell_of(sweep, row));
    point.x = {*x};
    point.y = {std::max(*y, kFloor)};
    chart.series.push_back(point);
  }
  return chart;
}

bool numeric(const Factor& factor) {
  for (const std::string& value : factor.values) {
    char* end = nullptr;
    std::strtod(value.c_str(), &end);
    if (end == value.c_str() || *end != '\0') return false;
  }
  return factor.values.size() > 1;
}

/// One measure over a factor of numbers.
report::Chart along(const Factor& factor, const std::vector<Row>& rows, const Measure& measure) {
  report::Chart chart;
  chart.title = measure.name + " over " + factor.key;
  chart.x.label = factor.key;
  chart.y = {.label = measure.key, .scale = report::Scale::kLog, .min = {}, .max = {}};
  report::Series series;
  series.name = "geometric mean of the cells";
  series.markers = true;
  for (const std::string& value : factor.values) {
    const auto mean = mean_at(rows, factor.key, value, measure.key);
    if (!mean) continue;
    series.x.push_back(std::strtod(value.c_str(), nullptr));
    series.y.push_back(std::max(*mean, kFloor));
  }
  chart.series.push_back(series);
  return chart;
}

StudyOutcome effect(const Sweep& sweep, const Factor& factor, const std::vector<Row>& rows) {
  StudyOutcome out{.name = "effect-" + factor.key,
                   .title = "Effect of " + factor.key,
                   .question = fmt::format("What does {} change, all else averaged?", factor.key),
                   .findings = {},
                   .charts = {},
                   .rows = {}};
  for (const std::string& value : factor.values) {
    Row line = {{factor.key, value}};
    long run = 0;
    for (const Row& row : rows) run += row.at(factor.key) == value && row.at("status") == "ok";
    line["cells_that_ran"] = run;
    for (const Measure& measure : measures()) {
      const auto mean = mean_at(rows, factor.key, value, measure.key);
      line[measure.key] = mean ? Row(*mean) : Row(nullptr);
    }
    out.rows.push_back(line);
  }
  const Sameness same = sameness(sweep.factors, factor.key, rows);
  if (same.always()) {
    out.findings.push_back("No effect here (identical results).");
    return out;
  }
  for (const Measure& measure : {measures()[0], measures()[4]}) {
    const auto least = best(out.rows, measure.key);
    if (!least.empty()) {
      const auto value = [&](const Row& row) { return row.at(factor.key).get<std::string>(); };
      out.findings.push_back(fmt::format("Least {}: {}, {:.2e}.", measure.name,
                                         names_of(least, value),
                                         *number(*least.front(), measure.key)));
    }
    if (numeric(factor)) out.charts.push_back(along(factor, rows, measure));
  }
  if (same.identical > 0) {
    out.findings.push_back(
        fmt::format("Identical results in {} of {} groups of cells that differ in it alone.",
                    same.identical, same.groups));
  }
  return out;
}

/// Throws for an unknown solver or a wrong option of it; one that this machine cannot run is a matter
/// of the cell.
void check_solver(const std::string& spec) {
  const SolverRegistry registry = standard_backends();
  if (registry.info(parse_named_options(spec).name).available()) {
    static_cast<void>(registry.make(spec));
  }
}

/// A value that is refused in every combination with the other factors is refused at once; what some
/// refuse, as the damping of one preset of several, makes failed cells.
void check_options(const Sweep& sweep, std::size_t factor, const std::string& value) {
  std::exception_ptr refused;
  for (const Cell& cell : cells(sweep)) {
    if (cell[factor] != value) continue;
    try {
      for (const std::string& solver :
           cli::simulation_options(setting_of(sweep, cell).flags).newton.linear) {
        check_solver(solver);
      }
      return;
    } catch (const std::invalid_argument&) {
      if (!refused) refused = std::current_exception();
    }
  }
  if (refused) std::rethrow_exception(refused);
}

}  // namespace

Factor parse_factor(std::string_view text) {
  const auto [key, list] = parse_assignment(text);
  NSN_THROW_UNLESS(!key.empty(), "'{}' names no key", text);
  Factor factor{key, {}};
  const char separator = list.find(';') == std::string::npos ? ',' : ';';
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    const std::string value = list.substr(begin, end - begin);
    NSN_THROW_UNLESS(!value.empty(), "'{}' has an empty value", text);
    const auto& seen = factor.values;
    NSN_THROW_UNLESS(std::find(seen.begin(), seen.end(), value) == seen.end(),
                     "'{}' has the value '{}' twice", text, value);
    factor.values.push_back(value);
    begin = end + 1;
  }
  return factor;
}

std::vector<Cell> cells(const Sweep& sweep) {
  std::vector<Cell> all{{}};
  for (const Factor& factor : sweep.factors) {
    std::vector<Cell> longer;
    for (const Cell& cell : all) {
      for (const std::string& value : factor.values) {
        longer.push_back(cell);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string name_of(const Sweep& sweep, const Cell& cell) {
  std::string text;
  for (std::size_t k = 0; k < cell.size(); ++k) {
    text += fmt::format("{}{}={}", k == 0 ? "" : " ", sweep.factors[k].key, cell[k]);
  }
  return text;
}

void check(const Sweep& sweep) {
  const SceneInfo& scene = scene_info(sweep.scene);
  const std::vector<std::string> keys = known_keys(scene);
  static_cast<void>(make_scene(sweep.scene, cli::scene_parameters(sweep.flags)));
  for (std::size_t f = 0; f < sweep.factors.size(); ++f) {
    const Factor& factor = sweep.factors[f];
    NSN_THROW_UNLESS(std::find(keys.begin(), keys.end(), factor.key) != keys.end(),
                     "'{}' is neither an option of nsn run nor a parameter of {}{}", factor.key,
                     sweep.scene, suggestion(factor.key, keys));
    for (std::size_t g = 0; g < f; ++g) {
      NSN_THROW_UNLESS(sweep.factors[g].key != factor.key, "'{}' is given twice", factor.key);
    }
    for (const std::string& value : factor.values) {
      Sweep alone = sweep;
      alone.factors = {factor};
      static_cast<void>(make_scene(sweep.scene, setting_of(alone, {value}).parameters));
      check_options(sweep, f, value);
    }
  }
}

study::Row row_without_run(const Sweep& sweep, const Cell& cell, std::string_view status) {
  Row row;
  for (std::size_t k = 0; k < cell.size(); ++k) row[sweep.factors[k].key] = cell[k];
  row["status"] = status;
  for (const Measure& measure : measures()) row[measure.key] = nullptr;
  row["linear_iterations_mean"] = nullptr;
  row["displacement_max_m"] = nullptr;
  row["hash"] = nullptr;
  return row;
}

study::Row run_cell(const Sweep& sweep, const Cell& cell) {
  Row row = row_without_run(sweep, cell, "ok");
  try {
    const Setting setting = setting_of(sweep, cell);
    Simulation simulation(make_scene(sweep.scene, setting.parameters),
                          cli::simulation_options(setting.flags), standard_backends());
    bench::RunMeasures run(simulation);
    bench::RunHash hash;
    for (int k = 0; k < sweep.steps && run.finite; ++k) {
      simulation.step();
      run.add(simulation);
      hash.add(simulation);
    }
    const Row all = run.row(simulation);
    for (auto& [key, value] : row.items()) {
      if (all.contains(key) && key != "status") value = all.at(key);
    }
    row["hash"] = hash.text();
    row["share_above_1e_8_mps"] = run.coarse / std::max<double>(1.0, all.at("steps"));
    if (!run.finite) row["status"] = fmt::format("not finite after {} steps", run.error.size());
  } catch (const std::logic_error& refused) {  // a combination that has no meaning
    row["status"] = std::string("failed: ") + refused.what();
  } catch (const std::runtime_error& failed) {  // a device or a file that is not there
    row["status"] = std::string("failed: ") + failed.what();
  }
  return row;
}

std::vector<StudyOutcome> sweep_outcomes(const Sweep& sweep, const std::vector<Row>& rows) {
  StudyOutcome out{
      .name = "cells",
      .title = fmt::format("{}: {} cells of {} steps", sweep.scene, rows.size(), sweep.steps),
      .question = "Which combination does best?",
      .findings = {},
      .charts = {},
      .rows = rows};
  mark_best(out.rows);
  const auto failed = std::count_if(rows.begin(), rows.end(),
                                    [](const Row& row) { return row.at("status") != "ok"; });
  for (const Measure& measure : {measures()[0], measures()[4]}) {
    const auto least = best(rows, measure.key);
    if (least.empty()) continue;
    const auto name = [&](const Row& row) { return name_of(sweep, cell_of(sweep, row)); };
    out.findings.push_back(fmt::format("Least {}: {} with {:.2e}; {}.", measure.name,
                                       names_of(least, name), *number(*least.front(), measure.key),
                                       strongest(sweep, rows, measure)));
  }
  out.findings.push_back(fmt::format("{} of {} cells failed.", failed, rows.size()));
  if (rows.size() <= kMostPoints) out.charts.push_back(scatter(sweep, rows));
  std::vector<StudyOutcome> all{out};
  for (const Factor& factor : sweep.factors) all.push_back(effect(sweep, factor, rows));
  return all;
}

}  // namespace nsn::sweep
