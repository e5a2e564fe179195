#include "bench/compare/compare_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "bench/cli/table.h"
#include "bench/report/html_page.h"
#include "bench/support/machine.h"
#include "bench/support/machine_load.h"
#include "nsn/core/base/options.h"

namespace nsn::bench {
namespace {

using cli::Align;
using cli::bytes_text;
using cli::count_text;
using cli::percent_text;
using cli::residual_text;
using cli::Row;
using cli::seconds_text;
using report::Chart;
using report::HtmlCell;
using report::HtmlTable;
using report::Scale;
using report::Series;
using report::Tone;

constexpr int kMostUnfolded = 20;    // systems whose tables and curves a page shows at once
constexpr int kLeastForProfile = 3;  // systems, for shares to mean something
constexpr double kBusy = 0.2;        // share of the machine that others took: worth a word

std::string status_of(const SolverOutcome& outcome) {
  if (!outcome.ran()) return "refused";
  return outcome.ended.empty() ? std::string(to_string(outcome.report.status)) : outcome.ended;
}

const std::string& detail_of(const SolverOutcome& outcome) {
  return outcome.ran() ? outcome.report.detail : outcome.refusal;
}

/// The detail of a report, and what crossed the bus where a device worked.
std::string note_text(const LinearReport& report) {
  if (report.kernel_launches == 0) return report.detail;
  return fmt::format("{}{}{} to the device, {} back, {} launches", report.detail,
                     report.detail.empty() ? "" : "; ", bytes_text(report.bytes_to_device),
                     bytes_text(report.bytes_from_device), report.kernel_launches);
}

Row system_row(const SystemOutcome& system) {
  return {{"system", system.name},
          {"rows", system.rows},
          {"nonzeros", system.nonzeros},
          {"solver", ""},
          {"status", "refused"},
          {"iterations", nullptr},
          {"relative_residual", nullptr},
          {"setup_seconds", nullptr},
          {"solve_seconds", nullptr},
          {"bytes_moved", nullptr},
          {"bandwidth_fraction", nullptr},
          {"memory_bytes", nullptr},
          {"converged", false},
          {"detail", system.refusal},
          {"analyze_seconds", nullptr},
          {"factorize_seconds", nullptr},
          {"normal_residual", nullptr},
          {"bytes_to_device", nullptr},
          {"bytes_from_device", nullptr},
          {"kernel_launches", nullptr},
          {"rhs_norm", system.rhs_norm},
          {"repeats", 0},
          {"operator", nullptr},
          {"storage", system.storage},
          {"symmetric", system.symmetric},
          {"rhs", system.rhs},
          {"triad_bytes_per_second", system.triad_bytes_per_second},
          {"path", system.path},
          {"cpu_seconds", nullptr},
          {"setup_cpu_seconds", nullptr},
          {"solve_cpu_seconds", nullptr},
          {"spread", nullptr},
          {"cpu_over_wall", nullptr},
          {"cold_seconds", nullptr},
          {"cold_cpu_seconds", nullptr},
          {"runs", nullptr},
          {"runs_cpu", nullptr},
          {"ranked_by", system.by_cpu ? "cpu" : "clock"},
          {"others", system.others}};
}

/// Every run, "0.0012 0.0013": one field of a CSV.
std::string runs_text(const SolverOutcome& outcome, bool cpu) {
  std::vector<std::string> parts;
  for (const RunTime& run : outcome.runs) {
    parts.push_back(fmt::format("{:.6g}", cpu ? run.cpu() : run.total()));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

void add_times(const SystemOutcome& system, const SolverOutcome& outcome, Row& row) {
  row["cold_seconds"] = outcome.cold.total();
  row["cold_cpu_seconds"] = outcome.cold.cpu();
  if (outcome.runs.empty()) return;
  const RunTime clock = outcome.least(false);
  const RunTime cpu = outcome.least(true);
  row["setup_seconds"] = clock.setup;
  row["solve_seconds"] = clock.solve;
  row["cpu_seconds"] = cpu.cpu();
  row["setup_cpu_seconds"] = cpu.setup_cpu;
  row["solve_cpu_seconds"] = cpu.solve_cpu;
  row["spread"] = outcome.spread(system.by_cpu);
  row["cpu_over_wall"] = clock.total() > 0.0 ? clock.cpu() / clock.total() : 1.0;
  row["runs"] = runs_text(outcome, false);
  row["runs_cpu"] = runs_text(outcome, true);
}

Row solver_row(const SystemOutcome& system, const SolverOutcome& outcome) {
  Row row = system_row(system);
  row["solver"] = outcome.label;
  row["status"] = status_of(outcome);
  row["converged"] = outcome.ok();
  row["detail"] = detail_of(outcome);
  row["operator"] = to_string(outcome.form);
  if (outcome.ranks > 0) {
    row["ranks"] = outcome.ranks;
    row["imbalance"] = outcome.imbalance;
  }
  if (!outcome.ran() || !outcome.ended.empty()) return row;
  add_times(system, outcome, row);
  row["iterations"] = outcome.report.iterations;
  row["relative_residual"] = outcome.report.relative_residual();
  row["bytes_moved"] = outcome.report.bytes_moved;
  row["bandwidth_fraction"] = outcome.bandwidth_fraction;
  row["memory_bytes"] = outcome.report.bytes_held;
  row["analyze_seconds"] = outcome.report.analyze_seconds;
  row["factorize_seconds"] = outcome.report.factorize_seconds;
  row["normal_residual"] = outcome.report.normal_residual;
  row["bytes_to_device"] = outcome.report.bytes_to_device;
  row["bytes_from_device"] = outcome.report.bytes_from_device;
  row["kernel_launches"] = outcome.report.kernel_launches;
  row["repeats"] = outcome.runs.size();
  return row;
}

std::string describe(const SystemOutcome& system) {
  return fmt::format("{} rows, {} nonzeros, {}, {}; b: {}", count_text(system.rows),
                     count_text(system.nonzeros), system.symmetric ? "symmetric" : "unsymmetric",
                     system.storage, system.rhs);
}

std::string iterations_text(const SolverOutcome& outcome) {
  return outcome.direct ? "direct" : count_text(outcome.report.iterations);
}

std::string bandwidth_text(const SolverOutcome& outcome) {
  return outcome.report.bytes_moved > 0.0 ? percent_text(outcome.bandwidth_fraction) : "-";
}

std::string fastest_sentence(const SystemOutcome& system) {
  const SolverOutcome* best = system.fastest();
  if (best == nullptr) return "No solver reached the tolerance.";
  const bool cpu = system.by_cpu;
  const SolverOutcome* second = nullptr;
  std::vector<std::string> ties;
  for (const SolverOutcome& outcome : system.solvers) {
    if (!outcome.ok() || &outcome == best) continue;
    if (!certainly_faster(*best, outcome, cpu)) {
      ties.push_back(outcome.label);
    } else if (second == nullptr || outcome.seconds(cpu) < second->seconds(cpu)) {
      second = &outcome;
    }
  }
  const RunTime run = best->least(cpu);
  std::string text =
      fmt::format("Fastest from nothing to the answer: {}, {}{} ({} of it set-up).", best->label,
                  seconds_text(best->seconds(cpu)), cpu ? " of processor time" : "",
                  seconds_text(cpu ? run.setup_cpu : run.setup));
  if (!ties.empty()) text += fmt::format(" Within noise of it: {}.", fmt::join(ties, ", "));
  if (second != nullptr) {
    text += fmt::format(" Next: {}, {:.1f} times as long.", second->label,
                        second->seconds(cpu) / best->seconds(cpu));
  }
  return text;
}

/// Anchor of a system's section.
std::string id_of(std::size_t k) {
  return fmt::format("system-{}", k + 1);
}

HtmlCell overview_cell(const SystemOutcome& system, const std::string& label) {
  const auto found = std::find_if(system.solvers.begin(), system.solvers.end(),
                                  [&](const SolverOutcome& o) { return o.label == label; });
  if (found == system.solvers.end()) return {"", Tone::kQuiet};
  if (!found->ran()) return {"–", Tone::kQuiet, found->refusal};
  const std::string hover = fmt::format(
      "{}: {}, relative residual {}, set-up {}, solve {}, processor {}, spread {:.2f}{}{}", label,
      status_of(*found), residual_text(found->report.relative_residual()),
      seconds_text(found->least(false).setup), seconds_text(found->least(false).solve),
      seconds_text(found->seconds(true)), found->spread(system.by_cpu),
      detail_of(*found).empty() ? "" : "; ", detail_of(*found));
  if (!found->ok()) return HtmlCell("✗", Tone::kBad, hover).below(status_of(*found));
  const Tone tone = &*found == system.fastest() ? Tone::kBest : Tone::kPlain;
  return HtmlCell(seconds_text(found->seconds(system.by_cpu)), tone, hover)
      .below(found->direct ? "direct" : count_text(found->report.iterations));
}

std::vector<std::string> all_labels(const std::vector<SystemOutcome>& systems) {
  std::map<std::size_t, std::string> by_style;
  for (const SystemOutcome& system : systems) {
    for (const SolverOutcome& outcome : system.solvers) by_style[outcome.style] = outcome.label;
  }
  std::vector<std::string> labels;
  for (const auto& [style, label] : by_style) labels.push_back(label);
  return labels;
}

/// Names of solvers break after ':' and ',': a column is as wide as its numbers.
std::string breakable(const std::string& label) {
  std::string out;
  for (const char c : label) {
    out += c;
    if (c == ':' || c == ',') out += "\u200b";
  }
  return out;
}

/// Times of each solver over the least of the same system, ascending; of the systems that it solved.
std::map<std::string, std::vector<double>> ratios_to_best(
    const std::vector<SystemOutcome>& systems) {
  std::map<std::string, std::vector<double>> ratios;
  for (const SystemOutcome& system : systems) {
    const SolverOutcome* best = system.fastest();
    if (best == nullptr) continue;
    for (const SolverOutcome& outcome : system.solvers) {
      if (!outcome.ok()) continue;
      ratios[outcome.label].push_back(outcome.seconds(system.by_cpu) /
                                      best->seconds(system.by_cpu));
    }
  }
  for (auto& [label, values] : ratios) std::sort(values.begin(), values.end());
  return ratios;
}

/// Those that solved most come first; of those with as many, the faster in the geometric mean.
std::vector<std::string> labels_best_first(const std::vector<SystemOutcome>& systems) {
  const auto ratios = ratios_to_best(systems);
  std::map<std::string, std::pair<double, double>> rank;  // - solved, mean of the logarithms
  std::vector<std::string> labels = all_labels(systems);
  for (const std::string& label : labels) {
    const auto found = ratios.find(label);
    if (found == ratios.end()) continue;
    double sum = 0.0;
    for (const double ratio : found->second) sum += std::log(ratio);
    const auto solved = static_cast<double>(found->second.size());
    rank[label] = {-solved, sum / solved};
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [&](const std::string& a, const std::string& b) { return rank[a] < rank[b]; });
  return labels;
}

/// Share of the systems that a solver solved within a factor of the best, over that factor (Dolan and
/// Moré, 2002).
Chart performance_profile(const std::vector<SystemOutcome>& systems) {
  const auto ratios = ratios_to_best(systems);
  std::map<std::string, std::size_t> styles;
  double count = 0.0;
  for (const SystemOutcome& system : systems) {
    if (system.fastest() == nullptr) continue;
    ++count;
    for (const SolverOutcome& outcome : system.solvers) styles[outcome.label] = outcome.style;
  }
  Chart chart;
  chart.title = "Share of systems solved within a factor of the best";
  chart.x.label = "factor";
  chart.x.scale = Scale::kLog;
  chart.x.min = 1.0;
  chart.x.max = 100.0;
  chart.y.label = "share";
  chart.y.min = 0.0;
  chart.y.max = 1.0;
  for (const auto& [label, values] : ratios) {
    Series series;
    series.name = label;
    series.style = static_cast<int>(styles[label]);
    series.steps = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
      series.x.push_back(values[k]);
      series.y.push_back(static_cast<double>(k + 1) / count);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

HtmlCell system_cell(const SystemOutcome& system, std::size_t k) {
  return {system.name, Tone::kPlain, describe(system), id_of(k)};
}

/// A line for each system.
HtmlTable overview_by_system(const std::vector<SystemOutcome>& systems,
                             const std::vector<std::string>& labels) {
  HtmlTable table{{{"system"}, {"rows", true}, {"nonzeros", true}}, {}};
  for (const std::string& label : labels)
    table.columns.push_back({breakable(label), true, label, true});
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const SystemOutcome& system = systems[k];
    if (!system.refusal.empty()) continue;
    std::vector<HtmlCell> row = {system_cell(system, k), count_text(system.rows),
                                 count_text(system.nonzeros)};
    for (const std::string& label : labels) row.push_back(overview_cell(system, label));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A line for each solver, below the sizes of the systems.
HtmlTable overview_by_solver(const std::vector<SystemOutcome>& systems,
                             const std::vector<std::string>& labels) {
  HtmlTable table{{{"solver"}}, {}};
  std::vector<std::vector<HtmlCell>> rows = {{""}, {"rows"}, {"nonzeros"}};
  for (const std::string& label : labels) rows.push_back({{breakable(label)}});
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const SystemOutcome& system = systems[k];
    if (!system.refusal.empty()) continue;
    table.columns.push_back({breakable(system.name), true, system.name, true});
    std::size_t line = 0;
    rows[line++].push_back({"details", Tone::kPlain, describe(system), id_of(k)});
    rows[line++].push_back(count_text(system.rows));
    rows[line++].push_back(count_text(system.nonzeros));
    for (const std::string& label : labels) rows[line++].push_back(overview_cell(system, label));
  }
  table.rows = std::move(rows);
  return table;
}

/// The longer of the two lists goes down the page; solvers stand in the order of their speed.
HtmlTable overview(const std::vector<SystemOutcome>& systems) {
  const std::vector<std::string> labels = labels_best_first(systems);
  return systems.size() < labels.size() ? overview_by_solver(systems, labels)
                                        : overview_by_system(systems, labels);
}

HtmlTable refused_inputs(const std::vector<SystemOutcome>& systems) {
  HtmlTable table{{{"input"}, {"reason", false, {}, true}}, {}};
  for (const SystemOutcome& system : systems) {
    if (!system.refusal.empty()) {
      table.rows.push_back({{system.name}, {system.refusal, Tone::kQuiet}});
    }
  }
  return table;
}

/// Those that converged by their time, then the others.
std::vector<const SolverOutcome*> fastest_first(const SystemOutcome& system) {
  std::vector<const SolverOutcome*> order;
  for (const SolverOutcome& outcome : system.solvers) {
    if (outcome.ran()) order.push_back(&outcome);
  }
  const auto time = [&](const SolverOutcome* one) {
    return one->ok() ? one->seconds(system.by_cpu) : HUGE_VAL;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return time(a) < time(b); });
  return order;
}

HtmlTable details(const SystemOutcome& system) {
  HtmlTable table{{{"solver"},
                   {"status"},
                   {"iterations", true},
                   {"residual", true, "true relative residual |b - A x| / |b|, recomputed"},
                   {"set-up", true, "symbolic and numeric work, of the fastest run on the clock"},
                   {"solve", true, "of the fastest run on the clock"},
                   {"processor time", true, "set-up and solve, least of the runs"},
                   {"spread", true, "median over least of the runs: 1 on a quiet machine"},
                   {"first run", true, "with everything to be loaded and touched; not ranked"},
                   {"moved", true, "memory traffic the algorithm cannot avoid"},
                   {"bandwidth", true, "traffic per second over that of a triad of the same size"},
                   {"memory", true, "held by the solver between solves"},
                   {"note", false, {}, true}},
                  {}};
  for (const SolverOutcome* one : fastest_first(system)) {
    const SolverOutcome& outcome = *one;
    const LinearReport& r = outcome.report;
    const bool answered = outcome.ended.empty();
    const auto measured = [&](std::string text) { return answered ? std::move(text) : "–"; };
    table.rows.push_back(
        {{outcome.label, &outcome == system.fastest() ? Tone::kBest : Tone::kPlain},
         {status_of(outcome), outcome.ok() ? Tone::kGood : Tone::kBad},
         measured(iterations_text(outcome)),
         measured(residual_text(r.relative_residual())),
         measured(seconds_text(outcome.least(false).setup)),
         measured(seconds_text(outcome.least(false).solve)),
         measured(seconds_text(outcome.seconds(true))),
         measured(fmt::format("{:.2f}", outcome.spread(system.by_cpu))),
         measured(seconds_text(outcome.cold.total())),
         measured(bytes_text(r.bytes_moved)),
         measured(bandwidth_text(outcome)),
         measured(bytes_text(r.bytes_held)),
         {note_text(r), Tone::kQuiet}});
  }
  return table;
}

/// Solvers that do not take the system, those with the same reason together.
std::vector<std::string> refusals(const SystemOutcome& system) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const SolverOutcome& outcome : system.solvers) {
    if (outcome.ran()) continue;
    std::string reason = outcome.refusal;
    const std::string own = fmt::format("'{}'", parse_named_options(outcome.label).name);
    if (const auto at = reason.find(own); at != std::string::npos)
      reason.replace(at, own.size(), "it");
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.first == reason; });
    if (same == groups.end()) {
      groups.push_back({reason, {outcome.label}});
    } else {
      same->second.push_back(outcome.label);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [reason, labels] : groups) {
    lines.push_back(fmt::format("Refused by {}: {}", fmt::join(labels, ", "), reason));
  }
  return lines;
}

/// A residual a log axis can show: what is exactly zero sits at the rounding of doubles.
double at_least_rounding(double value) {
  return std::max(value, 1e-17);
}

/// Limits that show convergence and cut off blow-up.
void set_residual_axis(Chart& chart, const std::string& label) {
  chart.y.label = label;
  chart.y.scale = Scale::kLog;
  double low = 1.0;
  double high = 1.0;
  for (const Series& series : chart.series) {
    for (const double y : series.y) {
      if (!std::isfinite(y) || y <= 0.0) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  chart.y.min = std::max(std::pow(10.0, std::floor(std::log10(low))), 1e-17);
  chart.y.max = std::min(std::pow(10.0, std::ceil(std::log10(high))), 1e4);
}

std::vector<double> scaled(const std::vector<double>& values, double unit) {
  std::vector<double> out;
  for (const double value : values) out.push_back(unit > 0.0 ? value / unit : value);
  return out;
}

std::vector<double> as_doubles(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

Series series_for(const SolverOutcome& outcome) {
  Series series;
  series.name = outcome.label;
  series.style = static_cast<int>(outcome.style);
  series.note = status_of(outcome);
  return series;
}

/// Where an iteration axis ends: it shows every solver that needed up to eight times the fewest
/// iterations; one that needs more, or does not converge, leaves at the edge.
std::optional<double> last_iteration_shown(const SystemOutcome& system) {
  constexpr double kReach = 8.0;
  double fewest = 0.0;
  double most = 0.0;
  double last = 0.0;
  for (const SolverOutcome& outcome : system.solvers) {
    if (outcome.history.iteration.empty()) continue;
    const double n = outcome.history.iteration.back();
    most = std::max(most, n);
    if (outcome.ok() && (fewest == 0.0 || n < fewest)) fewest = n;
  }
  for (const SolverOutcome& outcome : system.solvers) {
    if (!outcome.ok() || outcome.history.iteration.empty()) continue;
    const double n = outcome.history.iteration.back();
    if (n <= kReach * fewest) last = std::max(last, n);
  }
  if (last == 0.0 || most <= 1.05 * last) return std::nullopt;
  return std::max(1.05 * last, 4.0);
}

Chart over_iterations(const SystemOutcome& system, double tolerance) {
  Chart chart;
  chart.title = "Residual over iterations";
  chart.x.label = "iteration";
  chart.x.max = last_iteration_shown(system);
  for (const SolverOutcome& outcome : system.solvers) {
    if (outcome.history.iteration.empty()) continue;
    Series series = series_for(outcome);
    series.x = as_doubles(outcome.history.iteration);
    series.y = scaled(outcome.history.residual, system.rhs_norm);
    chart.series.push_back(std::move(series));
  }
  set_residual_axis(chart, "‖r‖₂ / ‖b‖₂");
  chart.references.push_back({tolerance, "tolerance"});
  return chart;
}

/// Iteration k of N at set-up + k/N of the timed solve: the observed run itself is slower.
Chart over_time(const SystemOutcome& system, double tolerance) {
  Chart chart;
  chart.title = "Residual over time, set-up included";
  chart.x.label = "ms";
  chart.x.scale = Scale::kLog;
  constexpr double kMilli = 1e3;
  for (const SolverOutcome& outcome : system.solvers) {
    if (!outcome.ran() || outcome.runs.empty()) continue;
    Series series = series_for(outcome);
    const History& history = outcome.history;
    const double last = history.iteration.empty() ? 0.0 : history.iteration.back();
    for (std::size_t k = 0; k < history.iteration.size() && last > 0.0; ++k) {
      const double share = history.iteration[k] / last;
      const RunTime run = outcome.least(false);
      series.x.push_back(kMilli * (run.setup + share * run.solve));
      series.y.push_back(history.residual[k] / system.rhs_norm);
    }
    if (outcome.direct && outcome.ok()) {
      series.x.push_back(kMilli * outcome.seconds(false));
      series.y.push_back(at_least_rounding(outcome.report.relative_residual()));
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  set_residual_axis(chart, "‖r‖₂ / ‖b‖₂");
  chart.references.push_back({tolerance, "tolerance"});
  return chart;
}

Chart over_iterations(const SystemOutcome& system, const std::string& title,
                      const std::string& label, std::vector<double> History::*norm) {
  Chart chart;
  chart.title = title;
  chart.x.label = "iteration";
  chart.x.max = last_iteration_shown(system);
  for (const SolverOutcome& outcome : system.solvers) {
    const std::vector<double>& values = outcome.history.*norm;
    if (values.empty() || *std::max_element(values.begin(), values.end()) <= 0.0) continue;
    const double first =
        *std::find_if(values.begin(), values.end(), [](double v) { return v > 0; });
    Series series = series_for(outcome);
    series.x = as_doubles(outcome.history.iteration);
    series.y = scaled(values, first);
    chart.series.push_back(std::move(series));
  }
  set_residual_axis(chart, label);
  return chart;
}

bool has_history(const SystemOutcome& system) {
  return std::any_of(system.solvers.begin(), system.solvers.end(),
                     [](const SolverOutcome& o) { return o.history.iteration.size() > 1; });
}

void add_system(report::HtmlPage& page, const SystemOutcome& system, const std::string& id,
                double tolerance, bool folded) {
  page.section(system.name, id);
  page.paragraph(fastest_sentence(system));
  page.note(describe(system));
  if (!system.note.empty()) page.note(system.note);
  if (folded) {
    page.folded_table("All solvers", details(system));
  } else {
    page.table(details(system));
  }
  for (const std::string& line : refusals(system)) page.note(line);
  if (!has_history(system)) return;
  if (folded) {
    page.folded_charts("Convergence",
                       {over_iterations(system, tolerance), over_time(system, tolerance)});
    return;
  }
  page.charts({over_iterations(system, tolerance), over_time(system, tolerance)});
  page.folded_charts(
      "Other norms: the preconditioned residual and ‖A r‖",
      {over_iterations(system, "Preconditioned norm over iterations", "√(rᵀPr), start = 1",
                       &History::preconditioned),
       over_iterations(system, "‖A r‖ over iterations", "‖A r‖₂, start = 1", &History::normal)});
}

/// "contact-lu on 3, pcg on 1", the most frequent first.
std::string counts(const std::map<std::string, int>& of) {
  std::vector<std::pair<std::string, int>> order(of.begin(), of.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [label, count] : order) parts.push_back(fmt::format("{} on {}", label, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Clear wins; where several are within noise all of them are counted, apart.
std::string wins_sentence(const std::vector<SystemOutcome>& systems) {
  std::map<std::string, int> wins;
  std::map<std::string, int> tied;
  int solved = 0;
  int ties = 0;
  for (const SystemOutcome& system : systems) {
    const SolverOutcome* best = system.fastest();
    if (best == nullptr) continue;
    ++solved;
    std::vector<std::string> first;
    for (const SolverOutcome& other : system.solvers) {
      if (other.ok() && (&other == best || !certainly_faster(*best, other, system.by_cpu))) {
        first.push_back(other.label);
      }
    }
    if (first.size() == 1) {
      ++wins[best->label];
    } else {
      ++ties;
      for (const std::string& label : first) ++tied[label];
    }
  }
  if (solved == 0) return "No system was solved.";
  std::vector<std::string> parts;
  if (!wins.empty()) parts.push_back(counts(wins));
  if (ties > 0) {
    parts.push_back(fmt::format("no clear winner on {} (within noise: {})", ties, counts(tied)));
  }
  return fmt::format("Fastest, set-up included: {}; {} solved.", fmt::join(parts, ", "),
                     solved == 1 ? "1 system" : fmt::format("{} systems", solved));
}

/// "9 of 12 solved, not a (singular-pivot), ..."; empty if all were.
std::string failures_of(const std::string& label, const std::vector<SystemOutcome>& systems) {
  int asked = 0;
  std::vector<std::string> failed;
  for (const SystemOutcome& system : systems) {
    for (const SolverOutcome& outcome : system.solvers) {
      if (outcome.label != label || !outcome.ran()) continue;
      ++asked;
      if (!outcome.ok()) failed.push_back(fmt::format("{} ({})", system.name, status_of(outcome)));
    }
  }
  if (failed.empty()) return {};
  return fmt::format("{} of {} solved, not {}.", asked - static_cast<int>(failed.size()), asked,
                     fmt::join(failed, ", "));
}

}  // namespace

std::vector<Row> to_rows(const std::vector<SystemOutcome>& systems) {
  std::vector<Row> rows;
  for (const SystemOutcome& system : systems) {
    if (!system.refusal.empty()) rows.push_back(system_row(system));
    for (const SolverOutcome& outcome : system.solvers) rows.push_back(solver_row(system, outcome));
  }
  return rows;
}

std::string history_csv(const std::vector<SystemOutcome>& systems) {
  std::vector<Row> rows;
  std::string out = "system,solver,iteration,residual,preconditioned_residual,normal_residual\n";
  for (const SystemOutcome& system : systems) {
    for (const SolverOutcome& outcome : system.solvers) {
      const std::string who =
          fmt::format("{},{}", cli::csv_text(system.name), cli::csv_text(outcome.label));
      const History& h = outcome.history;
      for (std::size_t k = 0; k < h.iteration.size(); ++k) {
        fmt::format_to(std::back_inserter(out), "{},{},{:.9g},{:.9g},{:.9g}\n", who, h.iteration[k],
                       h.residual[k], h.preconditioned[k], h.normal[k]);
      }
    }
  }
  return out;
}

std::string to_text(const SystemOutcome& system) {
  if (!system.refusal.empty()) return fmt::format("{}: refused: {}\n", system.name, system.refusal);
  cli::Table table({{"solver"},
                    {"status"},
                    {"iterations", Align::kRight},
                    {"residual", Align::kRight},
                    {"set-up", Align::kRight},
                    {"solve", Align::kRight},
                    {"cpu", Align::kRight},
                    {"spread", Align::kRight},
                    {"moved", Align::kRight},
                    {"bandwidth", Align::kRight},
                    {"memory", Align::kRight},
                    {"note"}});
  for (const SolverOutcome& outcome : system.solvers) {
    if (!outcome.ran()) continue;
    const LinearReport& r = outcome.report;
    if (!outcome.ended.empty()) {
      table.add({outcome.label, outcome.ended, "", "", "", "", "", "", "", "", "", r.detail});
      continue;
    }
    const RunTime clock = outcome.least(false);
    table.add({outcome.label, status_of(outcome), iterations_text(outcome),
               residual_text(r.relative_residual()), seconds_text(clock.setup),
               seconds_text(clock.solve), seconds_text(outcome.seconds(true)),
               fmt::format("{:.2f}", outcome.spread(system.by_cpu)), bytes_text(r.bytes_moved),
               bandwidth_text(outcome), bytes_text(r.bytes_held), note_text(r)});
  }
  std::string text = fmt::format("{}: {}\n", system.name, describe(system));
  if (!system.note.empty()) text += system.note + "\n";
  text += table.text();
  for (const std::string& line : refusals(system)) text += line + "\n";
  return text + fastest_sentence(system) + "\n";
}

std::string busy_warning(const std::vector<SystemOutcome>& systems) {
  double most = 0.0;
  bool by_cpu = false;
  for (const SystemOutcome& system : systems) {
    most = std::max(most, system.others);
    by_cpu = by_cpu || system.by_cpu;
  }
  std::string text;
  if (most > kBusy || by_cpu) {
    text =
        fmt::format("The machine was busy: other work took up to {} of it.{}", percent_text(most),
                    by_cpu ? " Processor time ranks where runs were held up." : "");
  }
  const std::string governor = frequency_governor();
  if (!governor.empty() && governor != "performance") {
    text += fmt::format("{}The frequency governor is '{}', not 'performance'.",
                        text.empty() ? "" : " ", governor);
  }
  return text;
}

std::vector<std::string> findings(const std::vector<SystemOutcome>& systems) {
  // Solvers that failed on the same systems in the same way share a sentence.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const std::string& label : all_labels(systems)) {
    const std::string failures = failures_of(label, systems);
    if (failures.empty()) continue;
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.first == failures; });
    if (same == groups.end()) {
      groups.push_back({failures, {label}});
    } else {
      same->second.push_back(label);
    }
  }
  std::vector<std::string> out = {wins_sentence(systems)};
  for (const auto& [failures, labels] : groups) {
    out.push_back(fmt::format("{}: {}", fmt::join(labels, ", "), failures));
  }
  return out;
}

std::string to_html(const std::vector<SystemOutcome>& systems, const ComparisonOptions& options,
                    const std::string& stopped) {
  const auto usable = std::count_if(systems.begin(), systems.end(),
                                    [](const SystemOutcome& s) { return s.refusal.empty(); });
  report::HtmlPage page("Linear solvers compared",
                        fmt::format("{} system{}, {} solver{}, relative tolerance {:g}", usable,
                                    usable == 1 ? "" : "s", options.solvers.size(),
                                    options.solvers.size() == 1 ? "" : "s", options.control.rtol));
  const std::string busy = busy_warning(systems);
  if (!stopped.empty()) page.paragraph(fmt::format("Partial: {}.", stopped));
  if (!busy.empty()) page.paragraph(busy);
  page.list(findings(systems));
  page.section("Overview", "overview");
  page.table(overview(systems));
  page.note(
      "Time from nothing to the answer (set-up and solve, least of the repeats); below it the "
      "iterations. Shaded: the fastest that converged. ✗: the tolerance was not reached, and how "
      "it "
      "ended. –: the solver does not take such a system. Hover over a cell for more.");
  const bool many = std::count_if(systems.begin(), systems.end(), [](const SystemOutcome& s) {
                      return s.ok();
                    }) >= kLeastForProfile;
  if (many) page.charts({performance_profile(systems)});
  const HtmlTable refused = refused_inputs(systems);
  if (!refused.rows.empty()) page.table(refused);
  page.download("compare.csv", cli::to_csv(to_rows(systems)));
  const Machine machine = this_machine();
  page.facts({{"command", command_line()},
              {"made", fmt::format("{}, nsn {}", date_text(), version())},
              {"machine", one_line(machine)},
              {"system", fmt::format("{}, Kokkos {}", machine.system, machine.kokkos)}});
  for (std::size_t k = 0; k < systems.size(); ++k) {
    if (!systems[k].refusal.empty()) continue;
    add_system(page, systems[k], id_of(k), options.control.rtol, usable > kMostUnfolded);
  }
  page.note(
      "Residual histories come from one extra run with a monitor; on the time axis iteration k of "
      "N "
      "stands at set-up + k/N of the timed solve. A diamond is a direct solver.");
  return page.text();
}

}  // namespace nsn::bench
