/// One self-contained HTML page: text, tables, charts, downloads. Opens by double click, needs no
/// network, follows the reader's light or dark setting, prints.
///
///   HtmlPage page("Linear solvers compared", "7 systems, 9 solvers");
///   page.section("bcsstk14", "bcsstk14");
///   page.paragraph("pcr is fastest.");
///   page.table({{{"solver"}, {"iterations", true}}, {{"pcr", "397"}}});
///   page.charts({over_iterations, over_time});
///   write_file("compare.html", page.text());
///
/// All texts are escaped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/report/svg_chart.h"

namespace nsn::report {

/// How a table cell is set off, always beside its words, never by colour alone.
enum class Tone { kPlain, kGood, kBad, kQuiet, kBest };

struct HtmlCell {
  HtmlCell(std::string words, Tone tone_of = Tone::kPlain, std::string more = {},
           std::string target = {})  // NOLINT: a cell is mostly just its words
      : text(std::move(words)), tone(tone_of), hover(std::move(more)), link(std::move(target)) {}
  HtmlCell(const char* words) : text(words) {}  // NOLINT

  /// A second line in small type.
  HtmlCell&& below(std::string words) && {
    second = std::move(words);
    return std::move(*this);
  }

  std::string text;
  std::string second;
  Tone tone = Tone::kPlain;
  std::string hover;  ///< shown when the pointer rests on the cell
  std::string link;   ///< id of a section of this page
};

struct HtmlColumn {
  std::string head;
  bool number = false;     ///< right-aligned, digits of one width
  std::string hover = {};  ///< shown when the pointer rests on the head
  bool wraps = false;      ///< long text: may break into lines
};

struct HtmlTable {
  std::vector<HtmlColumn> columns;
  std::vector<std::vector<HtmlCell>> rows;
};

class HtmlPage {
 public:
  HtmlPage(std::string title, std::string subtitle);

  /// A heading with a link target; sections are listed at the top of the page.
  void section(std::string_view heading, std::string_view id);
  void paragraph(std::string_view text);
  void list(const std::vector<std::string>& items);
  /// A line in small type.
  void note(std::string_view text);
  void table(const HtmlTable& table);
  /// The same, folded away behind a line of text.
  void folded_table(std::string_view summary, const HtmlTable& table);
  /// Side by side where the window is wide enough.
  void charts(const std::vector<Chart>& charts);
  /// The same, folded away behind a line of text.
  void folded_charts(std::string_view summary, const std::vector<Chart>& charts);
  /// Pictures side by side, each with its name below; the bytes of PNG files.
  void pictures(const std::vector<std::pair<std::string, std::vector<std::uint8_t>>>& named);
  /// A list "name: value", e.g. command and machine.
  void facts(const std::vector<std::pair<std::string, std::string>>& facts);
  /// A link that saves `content` as a file; the content is in the page.
  void download(std::string_view file_name, std::string_view content);

  std::string text() const;

 private:
  std::string title_;
  std::string subtitle_;
  std::string contents_;  // links to the sections
  std::string body_;
};

}  // namespace nsn::report
