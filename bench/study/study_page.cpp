#include "bench/study/study_page.h"

#include <cmath>

#include <fmt/core.h>

#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/report/html_page.h"

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

}  // namespace

std::string study_page(const std::vector<StudyOutcome>& outcomes,
                       const std::vector<std::pair<std::string, std::string>>& facts) {
  report::HtmlPage page(
      "The method, measured",
      fmt::format("{} studies; every sentence below a heading is computed from the "
                  "data beside it",
                  outcomes.size()));
  page.section("In short", "summary");
  std::vector<std::string> chief;
  for (const StudyOutcome& outcome : outcomes) {
    if (!outcome.findings.empty()) chief.push_back(outcome.title + ": " + outcome.findings.front());
  }
  page.list(chief);
  for (const StudyOutcome& outcome : outcomes) {
    page.section(outcome.title, outcome.name);
    page.paragraph(outcome.question);
    page.list(outcome.findings);
    if (!outcome.charts.empty()) page.charts(outcome.charts);
    page.table(html_table(outcome.rows));
    page.download(outcome.name + ".csv", cli::to_csv(outcome.rows));
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
