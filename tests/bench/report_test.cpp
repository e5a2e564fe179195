#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "bench/cli/report_json.h"
#include "bench/cli/table.h"
#include "bench/report/html_page.h"
#include "bench/report/svg_chart.h"
#include "tests/support/markup.h"

namespace nsn::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

Chart convergence() {
  Chart chart;
  chart.title = "a < b & \"c\"";
  chart.y.scale = Scale::kLog;
  Series series;
  series.name = "pcr <1>";
  for (int k = 0; k <= 5000; ++k) {
    series.x.push_back(k);
    series.y.push_back(std::pow(10.0, -k / 500.0));
  }
  chart.series.push_back(series);
  return chart;
}

TEST(SvgChart, IsWellFormedWhateverTheNames) {
  const std::string svg = to_svg(convergence());

  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(svg.find("pcr <1>"), std::string::npos);
  EXPECT_NE(svg.find("pcr &lt;1&gt;"), std::string::npos);
}

TEST(SvgChart, LongSeriesAreThinnedToTheirPixels) {
  // 5001 points on less than 560 pixels: at most four a column.
  EXPECT_LT(count_of(to_svg(convergence()), "L"), 4U * 560U);
}

TEST(SvgChart, ThinningKeepsTheSpikes) {
  Chart chart = convergence();
  chart.y.scale = Scale::kLinear;
  chart.series[0].y.assign(chart.series[0].x.size(), 0.0);
  chart.series[0].y[2500] = 1.0;

  EXPECT_NE(to_svg(chart).find(" 2500 1 "), std::string::npos);
}

TEST(SvgChart, NothingToDrawAndNothingFinite) {
  Chart chart;
  EXPECT_EQ(markup_fault(to_svg(chart)), "");

  chart.y.scale = Scale::kLog;
  chart.series.push_back({.name = "bad", .x = {0, 1, 2}, .y = {kNan, -1.0, 0.0}});
  const std::string svg = to_svg(chart);

  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SvgChart, OnePointIsADiamondAndConstantDataHasARange) {
  Chart chart;
  chart.series.push_back({.name = "one", .x = {3}, .y = {7}});
  const std::string svg = to_svg(chart);

  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_NE(svg.find("l5 5l-5 5l-5 -5z"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Ticks, RoundNumbersInsideTheRange) {
  EXPECT_EQ(ticks(0, 100, Scale::kLinear, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(ticks(-1, 1, Scale::kLinear, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(ticks(1, 1000, Scale::kLog, 5), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(ticks(1, 1e12, Scale::kLog, 4).size(), 5U);  // every third decade
  EXPECT_EQ(ticks(1, 20, Scale::kLog, 5), (std::vector<double>{1, 2, 5, 10, 20}));
}

TEST(Ticks, Texts) {
  EXPECT_EQ(tick_text(1e-10, Scale::kLog), "10⁻¹⁰");
  EXPECT_EQ(tick_text(1000, Scale::kLog), "10³");
  EXPECT_EQ(tick_text(2000, Scale::kLog), "2×10³");
  EXPECT_EQ(tick_text(2000, Scale::kLinear), "2000");
  EXPECT_EQ(tick_text(0.5, Scale::kLinear), "0.5");
  EXPECT_EQ(tick_text(0, Scale::kLinear), "0");
}

TEST(HtmlPage, IsWellFormedAndSelfContained) {
  HtmlPage page("A <title>", "x & y");
  page.section("One", "one");
  page.paragraph("1 < 2");
  page.table({{{"name"}, {"value", true}}, {{"a\"b", {"3", Tone::kBad, "why <not>", "one"}}}});
  page.charts({convergence(), convergence()});
  page.folded_charts("more", {convergence()});
  page.facts({{"command", "nsn compare 'a b'"}});
  page.download("x.csv", "a,b\n\"1\",2 é\n");

  EXPECT_EQ(markup_fault(page.text()), "");
  EXPECT_EQ(external_reference(page.text()), "");
  EXPECT_NE(page.text().find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(MarkupFault, FindsFaults) {
  EXPECT_EQ(markup_fault("<p><b>x</b></p>"), "");
  EXPECT_NE(markup_fault("<p><b>x</p></b>"), "");
  EXPECT_NE(markup_fault("<p>"), "");
  EXPECT_NE(markup_fault("<p class=x></p>"), "");
  EXPECT_NE(markup_fault("<p>a & b</p>"), "");
}

}  // namespace
}  // namespace nsn::report

namespace nsn::cli {
namespace {

TEST(Table, AlignsByCharactersNotBytes) {
  Table table({{"name"}, {"µs", Align::kRight}});
  table.add({"é", "10"});
  table.add({"漢字", "7"});

  EXPECT_EQ(table.text(), "name  µs\n────  ──\né     10\n漢字   7\n");
  EXPECT_THROW(table.add({"too few"}), std::invalid_argument);
}

TEST(NumbersForPeople, UnitsAndWhatIsMissing) {
  EXPECT_EQ(seconds_text(0.0), "0.00 ns");
  EXPECT_EQ(seconds_text(1.234e-4), "123 µs");
  EXPECT_EQ(seconds_text(0.9996), "1.00 s");
  EXPECT_EQ(seconds_text(1234.5), "1234 s");
  EXPECT_EQ(seconds_text(-1.0), "-");
  EXPECT_EQ(seconds_text(std::nan("")), "-");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(4.1e6), "4.10 MB");
  EXPECT_EQ(count_text(86093), "86 093");
  EXPECT_EQ(count_text(-1234567), "-1 234 567");
  EXPECT_EQ(count_text(12), "12");
  EXPECT_EQ(residual_text(0.0), "0");
}

TEST(Csv, QuotesWhatNeedsItAndLeavesMissingFieldsEmpty) {
  const std::vector<Row> rows = {{{"a", "x,y"}, {"b", 0.1}}, {{"a", "say \"hi\""}, {"b", nullptr}}};

  EXPECT_EQ(to_csv(rows), "a,b\n\"x,y\",0.1\n\"say \"\"hi\"\"\",\n");
}

}  // namespace
}  // namespace nsn::cli
