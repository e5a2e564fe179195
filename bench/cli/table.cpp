#include "bench/cli/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "nsn/core/base/error.h"

namespace nsn::cli {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Combining marks and joiners, and the East Asian wide blocks: enough for names of files.
constexpr std::array<Range, 6> kZeroWidth{{{0x0300, 0x036F},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 7> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F300, 0x1FAFF}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, std::uint32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& r) { return c >= r.first && c <= r.last; });
}

std::size_t width_of(std::uint32_t c) {
  if (within(kZeroWidth, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

/// Decodes one character at text[at] and moves past it; a broken byte counts as one character.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t extra = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  std::uint32_t c = extra == 0 ? lead : lead & (0x3FU >> extra);
  ++at;
  for (std::size_t k = 0; k < extra && at < text.size() && (byte(at) & 0xC0U) == 0x80U; ++k) {
    c = (c << 6U) | (byte(at++) & 0x3FU);
  }
  return c;
}

void append_cell(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::string pad(width - display_width(cell), ' ');
  line += align == Align::kRight ? pad + cell : cell + pad;
}

std::string with_unit(double value, double step, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  while (value >= 0.9995 * step && unit + 1 != units.end()) {
    value /= step;
    ++unit;
  }
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, digits, *unit);
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  NSN_THROW_UNLESS(cells.size() == columns_.size(), "a row of {} cells in a table of {} columns",
                   cells.size(), columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::add_gap() {
  if (!rows_.empty()) rows_.emplace_back();
}

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const Column& column : columns_) width.push_back(display_width(column.head));
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      width[c] = std::max(width[c], display_width(row[c]));
    }
  }
  std::string out;
  const auto finish = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  std::string head;
  std::string rule;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) {
      head += "  ";
      rule += "  ";
    }
    append_cell(head, columns_[c].head, width[c], columns_[c].align);
    for (std::size_t k = 0; k < width[c]; ++k) rule += "─";
  }
  finish(head);
  finish(rule);
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      append_cell(line, row[c], width[c], columns_[c].align);
    }
    finish(line);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_character(text, at));
  return width;
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return "-";
  if (seconds >= 0.9995) return with_unit(seconds, 1e300, {"s"});
  return with_unit(seconds * 1e9, 1e3, {"ns", "µs", "ms"});
}

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0.0) return "-";
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  return with_unit(bytes / 1e3, 1e3, {"kB", "MB", "GB", "TB"});
}

std::string percent_text(double fraction) {
  if (!std::isfinite(fraction) || fraction < 0.0) return "-";
  return fmt::format("{:.0f} %", 100.0 * fraction);
}

std::string residual_text(double value) {
  if (!std::isfinite(value) || value < 0.0) return "-";
  return value == 0.0 ? "0" : fmt::format("{:.1e}", value);
}

std::string count_text(long long value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t sign = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) {
    at -= 3;
    digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(at), ' ');
  }
  return digits;
}

}  // namespace nsn::cli
