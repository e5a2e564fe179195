#include "bench/friction/friction_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "bench/cli/table.h"
#include "bench/report/html_page.h"

namespace nsn::bench {

namespace {

using cli::Align;
using cli::Table;

bool refused(const FrictionOutcome& outcome) {
  return !outcome.refusal.empty();
}

/// "solved", "not-solved: time-limit"
std::string status_text(const FrictionOutcome& outcome) {
  const bool named = outcome.solved || outcome.status == "no-solution";
  return named ? outcome.status : fmt::format("{}: {}", outcome.status, outcome.reason);
}

std::string rank_text(const FrictionOutcome& outcome) {
  const Index rows = outcome.dimension * outcome.contacts;
  return outcome.rank < 0 ? fmt::format("?/{}", rows) : fmt::format("{}/{}", outcome.rank, rows);
}

std::string signed_text(double value) {
  return value == 0.0 ? "0" : fmt::format("{:.1e}", value);
}

/// Methods and problems in the order of their first appearance.
std::vector<std::string> distinct(const std::vector<FrictionOutcome>& outcomes,
                                  std::string FrictionOutcome::*field) {
  std::vector<std::string> names;
  for (const FrictionOutcome& outcome : outcomes) {
    const bool known = std::find(names.begin(), names.end(), outcome.*field) != names.end();
    if (!known && !refused(outcome)) names.push_back(outcome.*field);
  }
  return names;
}

/// t / t_best of every solved pair, and how many problems any method solves.
struct Ratios {
  std::map<std::string, std::vector<double>> of_method;
  std::size_t problems = 0;
};

Ratios time_ratios(const std::vector<FrictionOutcome>& outcomes) {
  std::map<std::string, double> best;
  for (const FrictionOutcome& outcome : outcomes) {
    if (!outcome.solved) continue;
    const auto [at, added] = best.emplace(outcome.problem, outcome.seconds);
    if (!added) at->second = std::min(at->second, outcome.seconds);
  }
  Ratios ratios;
  ratios.problems = best.size();
  for (const FrictionOutcome& outcome : outcomes) {
    if (!outcome.solved) continue;
    const double least = std::max(best.at(outcome.problem), std::numeric_limits<double>::min());
    ratios.of_method[outcome.method].push_back(std::max(outcome.seconds / least, 1.0));
  }
  return ratios;
}

std::vector<report::HtmlCell> html_row(const FrictionOutcome& outcome) {
  const auto tone = outcome.solved ? report::Tone::kGood : report::Tone::kBad;
  return {outcome.method,
          report::HtmlCell(status_text(outcome), tone, outcome.detail),
          fmt::format("{}", outcome.newton_iterations),
          fmt::format("{}", outcome.linear_iterations),
          cli::seconds_text(outcome.seconds),
          cli::residual_text(outcome.error_siconos),
          cli::residual_text(outcome.error_unit_free),
          signed_text(outcome.min_normal_velocity),
          cli::residual_text(outcome.max_cone_violation)};
}

void add_problem(report::HtmlPage& page, const std::vector<FrictionOutcome>& outcomes,
                 const std::string& problem) {
  report::HtmlTable table{{{"method"},
                           {"status"},
                           {"Newton", true},
                           {"linear", true},
                           {"time", true},
                           {"error (Siconos)", true},
                           {"error (unit-free)", true},
                           {"min u_N, m/s", true},
                           {"cone violation, kg m/s", true}},
                          {}};
  const FrictionOutcome* last = nullptr;
  for (const FrictionOutcome& outcome : outcomes) {
    if (outcome.problem != problem || refused(outcome)) continue;
    table.rows.push_back(html_row(outcome));
    last = &outcome;
  }
  if (last == nullptr) return;
  page.section(problem, problem);
  page.note(fmt::format("{}, {} contacts of dimension {}, rank {}, storage {}, asymmetry {:.1e}",
                        last->kind, last->contacts, last->dimension, rank_text(*last),
                        last->storage, last->asymmetry));
  page.table(table);
}

report::HtmlTable solved_table(const std::vector<FrictionOutcome>& outcomes) {
  report::HtmlTable table{{{"method"}, {"solved", true}, {"fastest", true}, {"median time", true}},
                          {}};
  const Ratios ratios = time_ratios(outcomes);
  for (const std::string& method : distinct(outcomes, &FrictionOutcome::method)) {
    std::vector<double> seconds;
    long tried = 0;
    for (const FrictionOutcome& outcome : outcomes) {
      if (outcome.method != method || refused(outcome)) continue;
      ++tried;
      if (outcome.solved) seconds.push_back(outcome.seconds);
    }
    std::sort(seconds.begin(), seconds.end());
    const auto at = ratios.of_method.find(method);
    const long fastest =
        at == ratios.of_method.end() ? 0 : std::count(at->second.begin(), at->second.end(), 1.0);
    table.rows.push_back({method, fmt::format("{} of {}", seconds.size(), tried),
                          fmt::format("{}", fastest),
                          cli::seconds_text(seconds.empty() ? -1.0 : seconds[seconds.size() / 2])});
  }
  return table;
}

}  // namespace

std::vector<cli::Row> to_rows(const std::vector<FrictionOutcome>& outcomes) {
  std::vector<cli::Row> rows;
  for (const FrictionOutcome& o : outcomes) {
    const bool usable = !refused(o);
    const auto if_usable = [usable](const auto& value) {
      return usable ? cli::Row(value) : cli::Row(nullptr);
    };
    rows.push_back(
        {{"problem", o.problem},
         {"dimension", if_usable(o.dimension)},
         {"contacts", if_usable(o.contacts)},
         {"rank", if_usable(o.rank)},
         {"method", o.method},
         {"status", usable ? o.status : "refused"},
         {"newton_iterations", if_usable(o.newton_iterations)},
         {"linear_iterations", if_usable(o.linear_iterations)},
         {"seconds", if_usable(o.seconds)},
         {"error_siconos", if_usable(o.error_siconos)},
         {"error_unit_free", if_usable(o.error_unit_free)},
         {"min_normal_velocity", if_usable(o.min_normal_velocity)},
         {"max_cone_violation", if_usable(o.max_cone_violation)},
         {"solved", o.solved},
         {"reason", usable ? o.reason : "refused"},
         {"sweeps", if_usable(o.sweeps)},
         {"factorizations", if_usable(o.factorizations)},
         {"certificate_need",
          usable && !o.certificate.empty() ? cli::Row(o.certificate_need) : cli::Row(nullptr)},
         {"kind", o.kind},
         {"storage", o.storage},
         {"asymmetry", if_usable(o.asymmetry)},
         {"detail", usable ? o.detail : o.refusal},
         {"path", o.path}});
  }
  return rows;
}

std::string to_text(const std::vector<FrictionOutcome>& outcomes) {
  Table table({{"problem"},
               {"kind"},
               {"contacts", Align::kRight},
               {"rank", Align::kRight},
               {"method"},
               {"status"},
               {"Newton", Align::kRight},
               {"linear", Align::kRight},
               {"time", Align::kRight},
               {"e Siconos", Align::kRight},
               {"e unit-free", Align::kRight},
               {"min u_N", Align::kRight},
               {"cone", Align::kRight}});
  std::string reasons;
  for (const FrictionOutcome& o : outcomes) {
    if (refused(o)) {
      table.add({o.problem, "", "", "", o.method, "refused", "", "", "", "", "", "", ""});
      reasons += fmt::format("refused: {}\n", o.refusal);
      continue;
    }
    table.add({o.problem,
               fmt::format("{}{}", o.kind, o.kind == "lcp" ? "" : fmt::format(" {}D", o.dimension)),
               fmt::format("{}", o.contacts), rank_text(o), o.method, status_text(o),
               fmt::format("{}", o.newton_iterations), fmt::format("{}", o.linear_iterations),
               cli::seconds_text(o.seconds), cli::residual_text(o.error_siconos),
               cli::residual_text(o.error_unit_free), signed_text(o.min_normal_velocity),
               cli::residual_text(o.max_cone_violation)});
  }
  return table.text() + reasons;
}

std::string solution_csv(const FrictionOutcome& outcome) {
  const auto d = static_cast<std::size_t>(outcome.dimension);
  std::string out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(outcome.contacts); ++i) {
    for (const auto* values : {&outcome.r, &outcome.u}) {
      for (std::size_t k = 0; k < d; ++k) {
        const char* const end = values == &outcome.u && k + 1 == d ? "\n" : ",";
        out += fmt::format("{:.17g}{}", (*values)[d * i + k], end);
      }
    }
  }
  return out;
}

std::string certificate_csv(const FrictionOutcome& outcome) {
  std::string out;
  for (const double z : outcome.certificate) out += fmt::format("{:.17g}\n", z);
  return out;
}

std::vector<ProfileCurve> performance_profile(const std::vector<FrictionOutcome>& outcomes) {
  Ratios ratios = time_ratios(outcomes);
  double largest = 1.0;
  for (const auto& [method, values] : ratios.of_method) {
    for (const double tau : values) largest = std::max(largest, tau);
  }
  std::vector<ProfileCurve> curves;
  for (const std::string& method : distinct(outcomes, &FrictionOutcome::method)) {
    ProfileCurve curve{method, {1.0}, {0.0}};
    std::vector<double>& values = ratios.of_method[method];
    std::sort(values.begin(), values.end());
    for (std::size_t k = 0; k < values.size(); ++k) {
      curve.tau.push_back(values[k]);
      curve.share.push_back(static_cast<double>(k + 1) / static_cast<double>(ratios.problems));
    }
    curve.tau.push_back(largest);
    curve.share.push_back(curve.share.back());
    curves.push_back(curve);
  }
  return curves;
}

report::Chart profile_chart(const std::vector<ProfileCurve>& curves) {
  report::Chart chart;
  chart.title = "Performance profile";
  chart.x = {"time / time of the fastest method", report::Scale::kLog, 1.0, {}};
  chart.y = {"share of the problems solved", report::Scale::kLinear, 0.0, 1.0};
  for (const ProfileCurve& curve : curves) {
    report::Series series;
    series.name = curve.method;
    series.x = curve.tau;
    series.y = curve.share;
    series.steps = true;
    chart.series.push_back(series);
  }
  return chart;
}

std::string to_html(const std::vector<FrictionOutcome>& outcomes, double tolerance) {
  const auto problems = distinct(outcomes, &FrictionOutcome::problem);
  const auto methods = distinct(outcomes, &FrictionOutcome::method);
  report::HtmlPage page("Methods for friction problems compared",
                        fmt::format("{} problems, {} methods, tolerance {:g}", problems.size(),
                                    methods.size(), tolerance));
  page.section("Overview", "overview");
  page.paragraph(
      fmt::format("Solved: the errors computed from the impulses are at most {:g} in Siconos' "
                  "measure and {:g} in the "
                  "unit-free one. Times: analysis and solve, least of the repeats.",
                  tolerance, 100.0 * tolerance));
  page.table(solved_table(outcomes));
  page.charts({profile_chart(performance_profile(outcomes))});
  page.note(
      "Of the problems that some method solves: the share that each solves within a multiple of "
      "the "
      "least time.");
  for (const std::string& problem : problems) add_problem(page, outcomes, problem);
  for (const FrictionOutcome& outcome : outcomes) {
    if (refused(outcome)) page.note("Refused: " + outcome.refusal);
  }
  page.download("compare.csv", cli::to_csv(to_rows(outcomes)));
  return page.text();
}

}  // namespace nsn::bench
