#include "bench/study/study_page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/report/html_page.h"
#include "bench/report/scene_picture.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::study {
namespace {

std::string cell_text(const Row& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.3g}", value.get<double>());
  return value.dump();
}

report::HtmlTable html_table(const std::vector<Row>& rows) {
  report::HtmlTable table;
  if (rows.empty()) return table;
  for (const auto& [key, value] : rows.front().items()) {
    table.columns.push_back({key, value.is_number()});
  }
  for (const Row& row : rows) {
    std::vector<report::HtmlCell> cells;
    for (const auto& [key, value] : row.items()) cells.emplace_back(cell_text(value));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// Names of all curves that end at a value: "pcr", "pcr, pcg (alike)".
std::string ending_at(const report::Chart& chart, double value) {
  std::string names;
  int count = 0;
  for (const report::Series& series : chart.series) {
    if (series.y.empty() || series.y.back() != value) continue;
    names += (names.empty() ? "" : ", ") + series.name;
    ++count;
  }
  return count > 1 ? names + " (alike)" : names;
}

/// "lowest at the end: pcr at 1e-9; highest: jacobi at 1e-2", from the curves themselves.
std::string finding_of(const report::Chart& chart) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  const report::Series* only = nullptr;
  int count = 0;
  for (const report::Series& series : chart.series) {
    if (series.y.empty() || !std::isfinite(series.y.back())) continue;
    low = std::min(low, series.y.back());
    high = std::max(high, series.y.back());
    only = &series;
    ++count;
  }
  if (count == 0) return {};
  if (count == 1) {
    return fmt::format("{}: from {:.2g} to {:.2g}.", only->name, only->y.front(), low);
  }
  if (low == high) return fmt::format("All {} curves end at {:.2g}.", count, low);
  return fmt::format("Lowest at the end of its curve: {} ({:.2g}); highest: {} ({:.2g}).",
                     ending_at(chart, low), low, ending_at(chart, high), high);
}

/// Curves that fall are told by where they end; of others the study's chief finding speaks.
std::vector<report::Chart> with_findings(const StudyOutcome& outcome) {
  std::vector<report::Chart> charts = outcome.charts;
  for (report::Chart& chart : charts) {
    const bool falling = chart.y.scale == report::Scale::kLog;
    chart.finding = falling || outcome.findings.empty() ? finding_of(chart) : outcome.findings[0];
  }
  return charts;
}

constexpr std::size_t kLongTable = 24;  // rows; longer ones are folded away
constexpr int kSmallScene = 100;        // bodies; larger ones are drawn as they start
constexpr int kPictureSteps = 10;

std::vector<std::uint8_t> thumbnail(const std::string& scene) {
  Simulation simulation(make_scene(scene), {}, standard_backends());
  const World& world = simulation.world();
  std::vector<report::ForceArrow> forces;
  if (world.num_bodies() <= kSmallScene && world.deformables().empty()) {
    for (int k = 0; k < kPictureSteps; ++k) static_cast<void>(simulation.step());
    forces = report::contact_forces(simulation);
  }
  return render::encode_png(report::picture_of(world, forces, 480, 320));
}

}  // namespace

std::vector<NamedPicture> scene_pictures(const std::vector<StudyOutcome>& outcomes) {
  std::vector<NamedPicture> pictures;
  std::set<std::string> seen;
  for (const StudyOutcome& outcome : outcomes) {
    for (const Row& row : outcome.rows) {
      if (!row.contains("scene") || !seen.insert(row.at("scene")).second) continue;
      pictures.emplace_back(row.at("scene"), thumbnail(row.at("scene")));
    }
  }
  return pictures;
}

std::string study_page(const std::vector<StudyOutcome>& outcomes,
                       const std::vector<std::pair<std::string, std::string>>& facts,
                       const std::vector<NamedPicture>& pictures, const std::string& stopped) {
  report::HtmlPage page(
      "The method, measured",
      fmt::format("{} studies; every sentence below a heading is computed from the "
                  "data beside it",
                  outcomes.size()));
  page.section("In short", "summary");
  if (!stopped.empty()) page.paragraph("Partial: " + stopped + ".");
  std::vector<std::string> chief;
  for (const StudyOutcome& outcome : outcomes) {
    if (!outcome.findings.empty()) chief.push_back(outcome.title + ": " + outcome.findings.front());
  }
  page.list(chief);
  for (const StudyOutcome& outcome : outcomes) {
    page.section(outcome.title, outcome.name);
    page.paragraph(outcome.question);
    page.list(outcome.findings);
    if (!outcome.charts.empty()) page.charts(with_findings(outcome));
    if (outcome.rows.size() > kLongTable) {
      page.folded_table(fmt::format("The table, {} rows", outcome.rows.size()),
                        html_table(outcome.rows));
    } else {
      page.table(html_table(outcome.rows));
    }
    page.download(outcome.name + ".csv", cli::to_csv(outcome.rows));
  }
  if (!pictures.empty()) {
    page.section("The scenes", "scenes");
    page.note("Lines are contact forces.");
    page.pictures(pictures);
  }
  page.section("How this was made", "made");
  page.facts(facts);
  return page.text();
}

std::string table_text(const StudyOutcome& outcome) {
  if (outcome.rows.empty()) return {};
  std::vector<cli::Table::Column> columns;
  for (const auto& [key, value] : outcome.rows.front().items()) {
    columns.push_back({key, value.is_number() ? cli::Align::kRight : cli::Align::kLeft});
  }
  cli::Table table(columns);
  for (const Row& row : outcome.rows) {
    std::vector<std::string> cells;
    for (const auto& [key, value] : row.items()) cells.push_back(cell_text(value));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace nsn::study
