/// Tables for a terminal: aligned columns, a rule under the head, widths counted in characters.
///
///   Table table({{"solver"}, {"iterations", Align::kRight}});
///   table.add({"pcr", "49"});
///   fmt::print("{}", table.text());
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nsn::cli {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string head;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  /// As many cells as columns.
  void add(std::vector<std::string> cells);
  /// A blank line between groups of rows.
  void add_gap();
  bool empty() const { return rows_.empty(); }
  /// All lines, each ending in a newline, none in blanks.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a gap
};

/// Columns of a terminal that a UTF-8 text takes: combining marks none, wide characters two.
std::size_t display_width(std::string_view text);

/// Numbers for people: "12.3 ms", "4.1 MB"; "-" for what is not finite or was not measured (< 0).
std::string seconds_text(double seconds);
std::string bytes_text(double bytes);
std::string percent_text(double fraction);
/// "1.2e-11"; "0" for zero.
std::string residual_text(double value);
/// "86 093": groups of three digits.
std::string count_text(long long value);

}  // namespace nsn::cli
