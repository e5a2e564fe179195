#include "nsn/core/io/matrix_market.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/io/atomic_file.h"
#include "nsn/core/io/text_file.h"

namespace nsn {
namespace {

constexpr std::int64_t kMaxIndex = std::numeric_limits<Index>::max();

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Walks through the text and knows the line it is in.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view name)
      : at_(text.data()), end_(text.data() + text.size()), name_(name) {}

  long line() const { return line_; }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) const {
    throw InputError(
        fmt::format("{}:{}: {}", name_, line_, fmt::format(text, std::forward<Values>(values)...)));
  }

  /// To the first character of the next line that is neither blank nor a comment; false at the end.
  bool next_content() {
    for (;; ++at_) {
      if (at_ == end_) return false;
      if (*at_ == '\n') {
        ++line_;
      } else if (*at_ == '%') {
        skip_line();
        if (at_ == end_) return false;
        ++line_;
      } else if (!is_blank(*at_)) {
        return true;
      }
    }
  }

  std::string_view word() {
    skip_blanks();
    const char* const first = at_;
    while (at_ != end_ && *at_ != '\n' && !is_blank(*at_)) ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  std::int64_t integer(std::string_view what) {
    skip_blanks();
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || (next != end_ && !is_blank(*next) && *next != '\n')) {
      const std::string_view text = word();
      if (text.empty()) fail("{} is missing", what);
      fail("{} '{}' is not an integer", what, printable(text));
    }
    at_ = next;
    return value;
  }

  double number() {
    skip_blanks();
    const char* first = at_;
    if (first != end_ && *first == '+') ++first;
    double value = 0.0;
    const auto [next, error] = std::from_chars(first, end_, value);
    const bool whole = next == end_ || is_blank(*next) || *next == '\n';
    if (error == std::errc::result_out_of_range && whole) value = beyond_range({first, next});
    if ((error != std::errc{} && error != std::errc::result_out_of_range) || !whole ||
        (first != at_ && *first == '-')) {
      const std::string_view text = word();
      if (text.empty()) fail("the value is missing");
      fail("value '{}' is not a number", printable(text));
    }
    if (!std::isfinite(value)) fail("value '{}' is not finite", printable(word()));
    at_ = next;
    return value;
  }

  /// Only blanks may be left in this line.
  void end_line() {
    skip_blanks();
    if (at_ != end_ && *at_ != '\n') fail("unexpected '{}' at the end of the line", rest());
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  void skip_line() {
    while (at_ != end_ && *at_ != '\n') ++at_;
  }
  std::string rest() {
    const char* const first = at_;
    skip_line();
    return printable({first, static_cast<std::size_t>(at_ - first)});
  }
  /// What a decimal number too large (infinity) or too small (zero) for a double rounds to.
  static double beyond_range(std::string_view text) {
    return std::strtod(std::string(text).c_str(), nullptr);
  }

  const char* at_;
  const char* end_;
  long line_ = 1;
  std::string_view name_;
};

struct Header {
  bool array = false;
  bool pattern = false;
  bool integer = false;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::kGeneral;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;  ///< that the file must hold
  long size_line = 0;

  bool mirrored() const { return symmetry != MatrixMarketSymmetry::kGeneral; }
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

void read_banner(Cursor& cursor, Header& header) {
  const std::string banner = lower(cursor.word());
  if (banner != "%%matrixmarket") cursor.fail("a MatrixMarket file starts with %%MatrixMarket");
  const std::string object = lower(cursor.word());
  const std::string format = lower(cursor.word());
  const std::string field = lower(cursor.word());
  const std::string symmetry = lower(cursor.word());
  cursor.end_line();
  if (symmetry.empty()) {
    cursor.fail("the banner needs five words: %%MatrixMarket matrix coordinate real general");
  }
  if (object != "matrix") cursor.fail("object '{}', 'matrix' is needed", printable(object));
  if (format != "coordinate" && format != "array") {
    cursor.fail("format '{}' is neither coordinate nor array", printable(format));
  }
  if (field == "complex") cursor.fail("complex matrices are not supported");
  if (field != "real" && field != "double" && field != "integer" && field != "pattern") {
    cursor.fail("field '{}' is not one of real, integer, pattern", printable(field));
  }
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
    cursor.fail("symmetry '{}' is not one of general, symmetric, skew-symmetric",
                printable(symmetry));
  }
  header.array = format == "array";
  header.pattern = field == "pattern";
  header.integer = field == "integer";
  if (symmetry == "symmetric") header.symmetry = MatrixMarketSymmetry::kSymmetric;
  if (symmetry == "skew-symmetric") header.symmetry = MatrixMarketSymmetry::kSkewSymmetric;
  if (header.array && header.pattern) cursor.fail("an array cannot be a pattern");
}

std::int64_t count(Cursor& cursor, std::string_view what) {
  const std::int64_t value = cursor.integer(what);
  if (value < 0) cursor.fail("{} is negative: {}", what, value);
  return value;
}

/// Entries of an array file: all of them, or the stored triangle column by column.
std::int64_t array_entries(const Header& header) {
  const std::int64_t n = header.rows;
  if (header.symmetry == MatrixMarketSymmetry::kSymmetric) return n * (n + 1) / 2;
  if (header.symmetry == MatrixMarketSymmetry::kSkewSymmetric) return n * (n - 1) / 2;
  return n * header.columns;
}

/// Everything that can be said about the sizes before a byte is allocated for them.
void check_sizes(const Cursor& cursor, const Header& header) {
  if (header.rows > kMaxIndex || header.columns > kMaxIndex) {
    cursor.fail("{} x {}: at most {} rows and columns", header.rows, header.columns, kMaxIndex);
  }
  if (header.mirrored() && header.rows != header.columns) {
    cursor.fail("a symmetric matrix is square, not {} x {}", header.rows, header.columns);
  }
}

void check_entries(const Cursor& cursor, const Header& header) {
  // Shortest line of an entry: "1 1", "1 1 1" or "1", each with its end of line but for the last.
  const std::int64_t shortest = header.array ? 2 : (header.pattern ? 4 : 6);
  const auto most = static_cast<std::int64_t>(cursor.bytes_left() + 1) / shortest;
  if (header.entries > most) {
    cursor.fail("{} entries are declared, the rest of the file has room for {} at most",
                header.entries, most);
  }
  if (header.entries > kMaxIndex / (header.mirrored() ? 2 : 1)) {
    cursor.fail("{} entries: at most {} fit 32-bit indices", header.entries, kMaxIndex);
  }
  // A few bytes of text must not claim gigabytes of empty rows.
  const std::int64_t plausible = 1'000'000 + 64 * header.entries;
  if (header.rows > plausible || header.columns > plausible) {
    cursor.fail("{} x {} with only {} entries is refused as implausible", header.rows,
                header.columns, header.entries);
  }
}

Header read_header(Cursor& cursor) {
  if (cursor.bytes_left() == 0) cursor.fail("the file is empty");
  Header header;
  read_banner(cursor, header);
  if (!cursor.next_content()) cursor.fail("the file ends before the line with the sizes");
  header.size_line = cursor.line();
  header.rows = count(cursor, "number of rows");
  header.columns = count(cursor, "number of columns");
  check_sizes(cursor, header);
  header.entries = header.array ? array_entries(header) : count(cursor, "number of entries");
  cursor.end_line();
  check_entries(cursor, header);
  return header;
}

double read_value(Cursor& cursor, const Header& header) {
  if (header.pattern) return 1.0;
  const double value = cursor.number();
  if (header.integer && value != std::floor(value)) {
    cursor.fail("{} is not an integer, as the banner promises", value);
  }
  return value;
}

Index read_index(Cursor& cursor, std::string_view what, std::int64_t limit) {
  const std::int64_t value = cursor.integer(what);
  if (value < 1 || value > limit) cursor.fail("{} {} is outside 1..{}", what, value, limit);
  return static_cast<Index>(value - 1);
}

/// Calls take() once per entry line and sees to it that there are as many as declared.
template <class Take>
void read_entries(Cursor& cursor, const Header& header, const Take& take) {
  std::int64_t read = 0;
  while (cursor.next_content()) {
    if (read == header.entries) {
      cursor.fail("more than the {} entries declared in line {}", header.entries, header.size_line);
    }
    take();
    cursor.end_line();
    ++read;
  }
  if (read < header.entries) {
    cursor.fail("the file ends after {} of the {} entries declared in line {}", read,
                header.entries, header.size_line);
  }
}

/// Keeps a symmetric file to one triangle: the same entry given twice would count twice.
class Triangle {
 public:
  void check(const Cursor& cursor, const Header& header, Index row, Index column) {
    if (row == column) {
      if (header.symmetry == MatrixMarketSymmetry::kSkewSymmetric) {
        cursor.fail("a skew-symmetric matrix has no diagonal entry ({}, {})", row + 1, column + 1);
      }
      return;
    }
    const int side = row > column ? 1 : -1;
    if (side_ == 0) side_ = side;
    if (side != side_) {
      cursor.fail("entry ({}, {}) is in the other triangle than those before it", row + 1,
                  column + 1);
    }
  }

 private:
  int side_ = 0;
};

std::vector<Triplet> read_triplets(Cursor& cursor, const Header& header) {
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(header.entries) * (header.mirrored() ? 2U : 1U));
  const double sign = header.symmetry == MatrixMarketSymmetry::kSkewSymmetric ? -1.0 : 1.0;
  Triangle triangle;
  read_entries(cursor, header, [&] {
    const Index row = read_index(cursor, "row", header.rows);
    const Index column = read_index(cursor, "column", header.columns);
    const double value = read_value(cursor, header);
    triplets.push_back({row, column, value});
    if (!header.mirrored()) return;
    triangle.check(cursor, header, row, column);
    if (row != column) triplets.push_back({column, row, sign * value});
  });
  return triplets;
}

std::vector<Triplet> read_array(Cursor& cursor, const Header& header) {
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(header.entries) * (header.mirrored() ? 2U : 1U));
  const bool skew = header.symmetry == MatrixMarketSymmetry::kSkewSymmetric;
  const auto first_row = [&](Index column) {
    return header.mirrored() ? column + (skew ? 1 : 0) : 0;
  };
  Index column = 0;
  Index row = first_row(0);
  read_entries(cursor, header, [&] {
    const double value = read_value(cursor, header);
    triplets.push_back({row, column, value});
    if (header.mirrored() && row != column) {
      triplets.push_back({column, row, skew ? -value : value});
    }
    if (++row == header.rows) row = first_row(++column);
  });
  return triplets;
}

void check_sums(const Csr& A, std::string_view name) {
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (std::isfinite(A.value(k))) continue;
      throw InputError(fmt::format("{}: entries at ({}, {}) add up to {}", name, i + 1,
                                   A.column(k) + 1, A.value(k)));
    }
  }
}

void append_number(fmt::memory_buffer& out, double value) {
  NSN_THROW_UNLESS(std::isfinite(value), "{} cannot be written to a MatrixMarket file", value);
  std::array<char, 32> text;  // sign, 17 digits, point, e-308
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::scientific, 16);
  NSN_ASSERT(error == std::errc{});
  *end = '\n';
  out.append(text.data(), end + 1);
}

/// Counted from 1, a blank behind it.
void append_index(fmt::memory_buffer& out, Index index) {
  const fmt::format_int text(static_cast<std::int64_t>(index) + 1);
  out.append(text.data(), text.data() + text.size());
  out.push_back(' ');
}

void append_comment(fmt::memory_buffer& out, std::string_view comment) {
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    fmt::format_to(std::back_inserter(out), "% {}\n", comment.substr(0, end));
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
}

void flush(AtomicFile& file, fmt::memory_buffer& out, std::size_t above) {
  if (out.size() <= above) return;
  file.write({out.data(), out.size()});
  out.clear();
}

constexpr std::size_t kWriteBuffer = 1U << 20U;

}  // namespace

MatrixMarket parse_matrix_market(std::string_view text, std::string_view name) {
  Cursor cursor(text, name);
  const Header header = read_header(cursor);
  const auto triplets = header.array ? read_array(cursor, header) : read_triplets(cursor, header);
  MatrixMarket matrix{csr_from_triplets(static_cast<Index>(header.rows),
                                        static_cast<Index>(header.columns), triplets),
                      header.array, header.symmetry};
  check_sums(matrix.A, name);
  return matrix;
}

Vector parse_matrix_market_vector(std::string_view text, std::string_view name) {
  const MatrixMarket matrix = parse_matrix_market(text, name);
  if (matrix.A.columns != 1) {
    throw InputError(fmt::format("{}: a vector has one column, this file is {} x {}", name,
                                 matrix.A.rows, matrix.A.columns));
  }
  Vector b("b", static_cast<std::size_t>(matrix.A.rows));
  for (Index i = 0; i < matrix.A.rows; ++i) {
    if (matrix.A.row_begin(i) < matrix.A.row_begin(i + 1)) {
      b(i) = matrix.A.value(matrix.A.row_begin(i));
    }
  }
  return b;
}

MatrixMarket read_matrix_market(const std::filesystem::path& path) {
  return parse_matrix_market(read_text_file(path), path.string());
}

Vector read_matrix_market_vector(const std::filesystem::path& path) {
  return parse_matrix_market_vector(read_text_file(path), path.string());
}

bool is_symmetric(const MatrixMarket& matrix) {
  constexpr double kRounding = 1e-12;
  if (matrix.symmetry == MatrixMarketSymmetry::kSymmetric) return true;
  return matrix.A.rows == matrix.A.columns && asymmetry(matrix.A) <= kRounding;
}

void write_matrix_market(const std::filesystem::path& path, const Csr& A,
                         const MatrixMarketFormat& format) {
  NSN_THROW_UNLESS(!format.symmetric || A.rows == A.columns, "{}: a symmetric matrix is square",
                   path.string());
  const auto stored = [&](Index row, Index column) { return !format.symmetric || column <= row; };
  std::int64_t entries = 0;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) entries += stored(i, A.column(k));
  }
  AtomicFile file(path);
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "%%MatrixMarket matrix coordinate real {}\n",
                 format.symmetric ? "symmetric" : "general");
  append_comment(out, format.comment);
  fmt::format_to(std::back_inserter(out), "{} {} {}\n", A.rows, A.columns, entries);
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      if (!stored(i, A.column(k))) continue;
      append_index(out, i);
      append_index(out, A.column(k));
      append_number(out, A.value(k));
    }
    flush(file, out, kWriteBuffer);
  }
  flush(file, out, 0);
  file.commit();
}

void write_matrix_market(const std::filesystem::path& path, ConstVector b,
                         std::string_view comment) {
  AtomicFile file(path);
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "%%MatrixMarket matrix array real general\n");
  append_comment(out, comment);
  fmt::format_to(std::back_inserter(out), "{} 1\n", b.extent(0));
  for (Index i = 0; i < size_of(b); ++i) {
    append_number(out, b(i));
    flush(file, out, kWriteBuffer);
  }
  flush(file, out, 0);
  file.commit();
}

}  // namespace nsn
