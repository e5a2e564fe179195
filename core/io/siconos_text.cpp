#include "nsn/core/io/siconos_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/core/io/text_scanner.h"

namespace nsn {

namespace {

enum Storage : std::int64_t { kDense = 0, kBlocks = 1, kSparse = 2 };
enum class Order { kTriplet, kColumns, kRows };

struct TextMatrix {
  Csr matrix;
  std::string storage;
};

/// Rows and columns that the counts ask for.
struct Size {
  Index rows;
  Index columns;
};

/// Reads one matrix. Every size is held against the text left before memory is taken for it.
class MatrixReader {
 public:
  MatrixReader(TextScanner& in, std::string_view name) : in_(in), name_(name) {}

  TextMatrix read(Size size) {
    asked_ = size;
    return read();
  }

  TextMatrix read() {
    const std::int64_t storage = in_.integer(fmt::format("storage of {}", name_));
    if (storage < kDense || storage > kSparse) {
      in_.fail("storage {} of {} is not 0 (dense), 1 (blocks) or 2 (sparse)", storage, name_);
    }
    rows_ = size("rows");
    columns_ = size("columns");
    if (asked_) check_size(*asked_);
    if (storage == kDense) return dense();
    return storage == kBlocks ? blocks() : sparse();
  }

 private:
  /// Rows or columns: as many numbers follow in the vectors, so that the text left bounds them.
  Index size(std::string_view what) {
    return in_.count(fmt::format("number of {} of {}", what, name_), in_.most_tokens());
  }

  void check_size(Size asked) const {
    if (rows_ != asked.rows || columns_ != asked.columns) {
      in_.fail("{} is {} x {}, but the counts ask for {} x {}", name_, rows_, columns_, asked.rows,
               asked.columns);
    }
  }

  void add(Index row, Index column, double value) { entries_.push_back({row, column, value}); }

  double value() { return in_.number("a matrix entry"); }

  TextMatrix finish(std::string storage) {
    if (entries_.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
      in_.fail("{} has more than 2^31 entries", name_);
    }
    TextMatrix result{csr_from_triplets(rows_, columns_, entries_), std::move(storage)};
    for (Index k = 0; k < result.matrix.nonzeros(); ++k) {
      if (!std::isfinite(result.matrix.value(k)))
        in_.fail("repeated entries of {} overflow", name_);
    }
    return result;
  }

  TextMatrix dense() {
    const std::int64_t rows = in_.integer("rows of the dense matrix");
    const std::int64_t columns = in_.integer("columns of the dense matrix");
    if (rows != rows_ || columns != columns_) {
      in_.fail("{} is {} x {} in its header but {} x {} in its data", name_, rows_, columns_, rows,
               columns);
    }
    if (rows * columns > in_.most_tokens()) {
      in_.fail("{} declares {} values, more than the file can hold", name_, rows * columns);
    }
    for (Index j = 0; j < columns_; ++j) {
      for (Index i = 0; i < rows_; ++i) {
        if (const double x = value(); x != 0.0) add(i, j, x);
      }
    }
    return finish("dense");
  }

  /// Ends of the block rows or columns: strictly ascending, the last one the size of the matrix.
  std::vector<Index> block_ends(Index blocks, Index size, std::string_view what) {
    std::vector<Index> end(static_cast<std::size_t>(blocks));
    Index last = 0;
    for (Index& e : end) {
      e = in_.count(fmt::format("cumulative {} size", what), size);
      if (e <= last) in_.fail("cumulative {} sizes of {} do not ascend", what, name_);
      last = e;
    }
    if (last != size)
      in_.fail("cumulative {} sizes of {} end at {}, not {}", what, name_, last, size);
    return end;
  }

  TextMatrix blocks() {
    const Index num_blocks = in_.count("number of blocks", in_.most_tokens());
    if (num_blocks == 0) return finish("blocks");  // Siconos writes nothing further
    const Index block_rows = in_.count("number of block rows", in_.most_tokens());
    const Index block_columns = in_.count("number of block columns", in_.most_tokens());
    const auto row_end = block_ends(block_rows, rows_, "row");
    const auto column_end = block_ends(block_columns, columns_, "column");
    const Index filled1 = in_.count("filled1", in_.most_tokens());
    const Index filled2 = in_.count("filled2", in_.most_tokens());
    if (filled1 < 1 || filled1 > block_rows + 1) {
      in_.fail("filled1 is {}, but {} has {} block rows", filled1, name_, block_rows);
    }
    if (filled2 != num_blocks) {
      in_.fail("filled2 is {}, but {} has {} blocks", filled2, name_, num_blocks);
    }
    const auto row_begin = row_pointers(filled1, num_blocks);
    std::vector<Index> column(static_cast<std::size_t>(num_blocks));
    for (Index& j : column) {
      j = in_.count("block column", in_.most_tokens());
      if (j >= block_columns) {
        in_.fail("block column {} is outside the {} block columns of {}", j, block_columns, name_);
      }
    }
    for (std::size_t i = 0; i + 1 < row_begin.size(); ++i) {
      const Range rows{i == 0 ? 0 : row_end[i - 1], row_end[i]};
      for (Index k = row_begin[i]; k < row_begin[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(column[static_cast<std::size_t>(k)]);
        block(k, rows, {j == 0 ? 0 : column_end[j - 1], column_end[j]});
      }
    }
    return finish("blocks");
  }

  std::vector<Index> row_pointers(Index length, Index num_blocks) {
    std::vector<Index> begin(static_cast<std::size_t>(length));
    Index last = 0;
    for (std::size_t i = 0; i < begin.size(); ++i) {
      begin[i] = in_.count("row pointer", in_.most_tokens());
      if (begin[i] < last || begin[i] > num_blocks || (i == 0 && begin[i] != 0)) {
        in_.fail("row pointer {} of {} is {}: not ascending from 0 to {}", i, name_, begin[i],
                 num_blocks);
      }
      last = begin[i];
    }
    if (last != num_blocks)
      in_.fail("row pointers of {} end at {}, not {}", name_, last, num_blocks);
    return begin;
  }

  struct Range {
    Index begin;
    Index end;
  };

  void block(Index number, Range rows, Range columns) {
    const std::int64_t found = in_.integer("number of a block");
    if (found != number) in_.fail("block {} of {} is numbered {}", number, name_, found);
    for (Index j = columns.begin; j < columns.end; ++j) {
      for (Index i = rows.begin; i < rows.end; ++i) {
        if (const double x = value(); x != 0.0) add(i, j, x);
      }
    }
  }

  TextMatrix sparse() {
    const std::int64_t origin = in_.integer("origin of the sparse storage");
    if (origin < 1 || origin > 3) {
      in_.fail("origin {} is not 1 (triplet), 2 (columns) or 3 (rows)", origin);
    }
    if (in_.line("the 'CSparse' line").substr(0, 7) != "CSparse") {
      in_.fail("no 'CSparse' line after the origin of {}", name_);
    }
    const auto [order, nonzeros] = sparse_header();
    if (order == Order::kTriplet) {
      for (Index k = 0; k < nonzeros; ++k) triplet();
      return finish("triplet");
    }
    const Index majors = order == Order::kColumns ? columns_ : rows_;
    Index read = 0;
    for (Index j = 0; j < majors; ++j) read = compressed(order, j, read, nonzeros);
    if (read != nonzeros) in_.fail("{} has {} entries, not {}", name_, read, nonzeros);
    return finish(order == Order::kColumns ? "csc" : "csr");
  }

  /// "[triplet: |csr: |csc: ]M-by-N, nzmax: a nnz: b[, 1-norm: c]"
  std::pair<Order, Index> sparse_header() {
    std::string_view text = in_.line("the header of the sparse matrix");
    Order order = Order::kColumns;
    if (text.starts_with("triplet: ")) order = Order::kTriplet;
    if (text.starts_with("csr: ")) order = Order::kRows;
    if (const auto colon = text.find(": "); colon < text.find("-by-"))
      text.remove_prefix(colon + 2);
    const std::int64_t rows = leading_integer(text, "");
    const std::int64_t columns = leading_integer(text, "-by-");
    leading_integer(text, ", nzmax: ");
    const std::int64_t nonzeros = leading_integer(text, " nnz: ");
    if (rows != rows_ || columns != columns_) {
      in_.fail("{} is {} x {} in its header but {} x {} in its data", name_, rows_, columns_, rows,
               columns);
    }
    if (nonzeros < 0 || nonzeros > in_.most_tokens()) {
      in_.fail("{} declares {} entries, more than the file can hold", name_, nonzeros);
    }
    return {order, static_cast<Index>(nonzeros)};
  }

  /// Takes `label` and an integer from the front of a header line.
  std::int64_t leading_integer(std::string_view& text, std::string_view label) {
    std::int64_t value = 0;
    if (text.starts_with(label)) {
      text.remove_prefix(label.size());
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc()) {
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return value;
      }
    }
    in_.fail("'{}' is not '{}' and an integer in the sparse header of {}", printable(text), label,
             name_);
  }

  Index position(std::string_view what, Index size) {
    const std::int64_t i = in_.integer(what);
    if (i < 0 || i >= size)
      in_.fail("{} {} is outside the {} x {} of {}", what, i, rows_, columns_, name_);
    return static_cast<Index>(i);
  }

  void triplet() {
    const Index i = position("row index", rows_);
    const Index j = position("column index", columns_);
    in_.expect(":", "after the indices of an entry");
    add(i, j, value());
  }

  /// One column (or row): returns how many entries have been read then.
  Index compressed(Order order, Index major, Index read, Index nonzeros) {
    const std::string_view keyword = in_.token("'col'");
    if (keyword != "col" && keyword != "row") {
      in_.fail("'{}' in place of 'col' or 'row'", printable(keyword));
    }
    if (in_.integer("column number") != major)
      in_.fail("column {} of {} is not here", major, name_);
    in_.expect(":", "column header");
    in_.expect("locations", "column header");
    const std::int64_t first = in_.integer("first location");
    in_.expect("to", "column header");
    const std::int64_t last = in_.integer("last location");
    if (first != read || last < first - 1 || last >= nonzeros) {
      in_.fail("locations {} to {} of {} entries cannot follow {}", first, last, nonzeros, read);
    }
    for (std::int64_t k = first; k <= last; ++k) {
      const bool by_column = order == Order::kColumns;
      const Index minor =
          position(by_column ? "row index" : "column index", by_column ? rows_ : columns_);
      in_.expect(":", "after the index of an entry");
      by_column ? add(minor, major, value()) : add(major, minor, value());
    }
    return static_cast<Index>(last + 1);
  }

  TextScanner& in_;
  std::string_view name_;
  std::optional<Size> asked_;
  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<Triplet> entries_;
};

Vector read_vector(TextScanner& in, Index length, std::string_view what) {
  if (length > in.most_tokens()) in.fail("{} needs {} values, more than are left", what, length);
  Vector v("v", static_cast<std::size_t>(length));
  for (Index i = 0; i < length; ++i) v(i) = in.number(what);
  return v;
}

Vector read_mu(TextScanner& in, Index contacts) {
  Vector mu("mu", static_cast<std::size_t>(contacts));
  for (Index i = 0; i < contacts; ++i) {
    mu(i) = in.number("mu");
    if (mu(i) < 0.0) in.fail("mu {} of contact {} is negative", mu(i), i);
  }
  return mu;
}

struct FrictionHeader {
  Index dimension;
  Index contacts;
  Index rows() const { return dimension * contacts; }
};

FrictionHeader read_friction_header(TextScanner& in) {
  const std::int64_t dimension = in.integer("dimension");
  if (dimension != 2 && dimension != 3) in.fail("dimension {} is neither 2 nor 3", dimension);
  // Two tokens per contact and component at least: the product cannot overflow.
  const Index contacts = in.count("number of contacts", in.most_tokens() / dimension);
  return {static_cast<Index>(dimension), contacts};
}

FrictionFile local_rest(TextScanner in, FrictionHeader header, const TextMatrix& W) {
  if (W.matrix.rows != header.rows() || W.matrix.columns != header.rows()) {
    in.fail("W is {} x {}, but {} contacts in {}D ask for {} x {}", W.matrix.rows, W.matrix.columns,
            header.contacts, header.dimension, header.rows(), header.rows());
  }
  FrictionProblem problem{header.dimension, W.matrix, read_vector(in, header.rows(), "q"),
                          read_mu(in, header.contacts)};
  return {std::move(problem), FrictionFormat::kSiconosLocal, W.storage, asymmetry(W.matrix)};
}

FrictionFile global_rest(TextScanner in, FrictionHeader header, const TextMatrix& M) {
  if (M.matrix.rows != M.matrix.columns) {
    in.fail("M is {} x {}, not square", M.matrix.rows, M.matrix.columns);
  }
  const TextMatrix H = MatrixReader(in, "H").read({M.matrix.rows, header.rows()});
  GlobalFrictionProblem problem{header.dimension, M.matrix, H.matrix, {}, {}, {}};
  problem.f = read_vector(in, M.matrix.rows, "f");
  problem.w = read_vector(in, header.rows(), "w");
  problem.mu = read_mu(in, header.contacts);
  return {std::move(problem), FrictionFormat::kSiconosGlobal, M.storage + "/" + H.storage,
          asymmetry(M.matrix)};
}

FrictionFile read_lcp(TextScanner in) {
  const Index n = in.count("number of unknowns", in.most_tokens());
  TextMatrix M = MatrixReader(in, "M").read({n, n});
  LinearComplementarityProblem problem{M.matrix, read_vector(in, n, "q")};
  return {std::move(problem), FrictionFormat::kSiconosLcp, M.storage, asymmetry(M.matrix)};
}

/// The failed attempts at a text of unknown kind: the one that got furthest knows best; of two that
/// fail on one line, that of the higher rank.
class Attempts {
 public:
  template <class Attempt>
  std::optional<FrictionFile> operator()(int rank, Attempt&& attempt) {
    try {
      return attempt();
    } catch (const InputError& error) {
      const std::pair<std::int64_t, int> line{line_of(error.what()), rank};
      if (line > furthest_) {
        furthest_ = line;
        reason_ = error.what();
      }
      return std::nullopt;
    }
  }
  [[noreturn]] void give_up() const { throw InputError(reason_); }

  explicit Attempts(std::string_view name) : name_length_(name.size()) {}

 private:
  std::int64_t line_of(std::string_view text) const {
    std::int64_t line = 0;
    std::from_chars(text.data() + name_length_ + 1, text.data() + text.size(), line);
    return line;
  }

  std::size_t name_length_;
  std::pair<std::int64_t, int> furthest_{-1, 0};
  std::string reason_;
};

/// Whether the header of a matrix with `rows` rows comes next.
bool matrix_follows(TextScanner in, Index rows) {
  try {
    const std::int64_t storage = in.integer("storage");
    return storage >= kDense && storage <= kSparse && in.integer("rows") == rows &&
           in.integer("columns") >= 0;
  } catch (const InputError&) {
    return false;  // no integers: what follows is a vector
  }
}

/// `5 nc storage`: a contact with rolling friction; an LCP of size 5 would have its 5 rows third.
void refuse_rolling(TextScanner in) {
  const bool rolling = in.token("dimension") == "5" && in.integer("number of contacts") > 0 &&
                       in.integer("storage") <= kSparse;
  if (rolling) in.fail("dimension 5: rolling friction is not supported, only 2D and 3D contacts");
}

FrictionFile parse_any(const TextScanner& start, std::string_view name) {
  Attempts attempt(name);
  // The first matrix is read once: only what follows tells local and global apart.
  std::optional<FrictionFile> result = attempt(2, [&] {
    TextScanner in = start;
    const FrictionHeader header = read_friction_header(in);
    const TextMatrix first = MatrixReader(in, "the first matrix").read();
    if (matrix_follows(in, first.matrix.rows)) {
      if (auto global = attempt(1, [&] { return global_rest(in, header, first); })) return *global;
    }
    return local_rest(in, header, first);
  });
  if (!result) result = attempt(0, [&] { return read_lcp(start); });
  if (!result) {
    refuse_rolling(start);
    attempt.give_up();
  }
  return *result;
}

}  // namespace

FrictionFile parse_siconos_text(std::string_view text, std::string_view name,
                                FrictionFormat format) {
  TextScanner in(text, name);
  switch (format) {
    case FrictionFormat::kAuto:
      return parse_any(in, name);
    case FrictionFormat::kSiconosLcp:
      return read_lcp(in);
    case FrictionFormat::kSiconosLocal:
    case FrictionFormat::kSiconosGlobal: {
      const bool local = format == FrictionFormat::kSiconosLocal;
      const FrictionHeader header = read_friction_header(in);
      const TextMatrix first = MatrixReader(in, local ? "W" : "M").read();
      return local ? local_rest(in, header, first) : global_rest(in, header, first);
    }
    default:
      throw std::invalid_argument(fmt::format("'{}' is not a text format", name_of(format)));
  }
}

}  // namespace nsn
