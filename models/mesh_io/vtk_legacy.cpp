#include <string>

#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/binary_reader.h"
#include "nsn/models/mesh_io/vtk_arrays.h"

namespace nsn {
namespace {

class VtkLegacyReader {
 public:
  VtkLegacyReader(std::string_view text, std::string_view name)
      : scanner_(text, name), builder_(name) {}

  TetMeshFile read(const MeshReadOptions& options) {
    read_header();
    while (!scanner_.at_end() && read_part(std::string(scanner_.token("a keyword")))) {
    }
    if (points_.empty()) scanner_.fail("the file has no POINTS");
    if (!has_cells_) scanner_.fail("the file has no CELLS");
    if (cells_.type.size() != cells_.end.size()) {
      scanner_.fail("{} CELL_TYPES for {} CELLS", cells_.type.size(), cells_.end.size());
    }
    add_vtk_grid(points_, cells_, static_cast<std::int64_t>(points_.size() / 3), 0, scanner_,
                 builder_);
    return builder_.finish(binary_ ? "vtk binary" : "vtk text", options);
  }

 private:
  void read_header() {
    const std::string_view first = scanner_.line("the first line");
    if (first.substr(0, 22) != "# vtk DataFile Version") {
      scanner_.fail("'{}' in place of '# vtk DataFile Version'", printable(first));
    }
    // A title may be blank, which line() would pass over: look for the third line's word instead.
    std::string_view word = scanner_.token("ASCII or BINARY");
    while (word != "ASCII" && word != "BINARY") word = scanner_.token("ASCII or BINARY");
    binary_ = word == "BINARY";
    scanner_.expect("DATASET", "the data set");
    const std::string_view kind = scanner_.token("the kind of the data set");
    if (kind != "UNSTRUCTURED_GRID") {
      scanner_.fail("'{}' is not an UNSTRUCTURED_GRID", printable(kind));
    }
  }

  // False when only data on points and cells is left, which is not read.
  bool read_part(const std::string& keyword) {
    if (keyword == "POINTS") {
      read_points();
    } else if (keyword == "CELLS") {
      read_cells();
    } else if (keyword == "CELL_TYPES") {
      cells_.type = read_integers(read_count("number of cell types"), "int", "a cell type");
    } else if (keyword == "METADATA") {
      skip_metadata();
    } else if (keyword == "FIELD") {
      skip_field();
    } else if (keyword == "POINT_DATA" || keyword == "CELL_DATA") {
      return false;
    } else {
      scanner_.fail("unknown keyword '{}'", printable(keyword));
    }
    return true;
  }

  // Every number takes at least a byte of the file.
  Index read_count(std::string_view what) { return scanner_.count(what, scanner_.remaining()); }

  VtkType read_type() {
    const std::string_view name = scanner_.token("a number type");
    const auto type = vtk_type(name);
    if (!type) scanner_.fail("unknown number type '{}'", printable(name));
    return *type;
  }

  std::string_view read_binary(std::int64_t number, const VtkType& type, std::string_view what) {
    scanner_.end_line(what);
    return scanner_.bytes(number * type.bytes, what);
  }

  void read_points() {
    if (!points_.empty()) scanner_.fail("POINTS occur twice");
    const std::int64_t number = 3 * static_cast<std::int64_t>(read_count("number of points"));
    const VtkType type = read_type();
    if (binary_) {
      points_ = vtk_reals(read_binary(number, type, "points"), type, needs_swap(true));
      return;
    }
    for (std::int64_t k = 0; k < number; ++k) points_.push_back(scanner_.number("a coordinate"));
  }

  std::vector<std::int64_t> read_integers(std::int64_t number, std::string_view type_name,
                                          std::string_view what) {
    if (binary_) {
      const VtkType type = *vtk_type(type_name);
      return vtk_integers(read_binary(number, type, what), type, needs_swap(true));
    }
    std::vector<std::int64_t> values;
    for (std::int64_t k = 0; k < number; ++k) values.push_back(scanner_.integer(what));
    return values;
  }

  // Until version 4: CELLS cells numbers, then per cell its number of points and the points. From
  // 5.1: CELLS offsets points, then two named lists.
  void read_cells() {
    if (has_cells_) scanner_.fail("CELLS occur twice");
    has_cells_ = true;
    const Index number = read_count("number of cells");
    const Index size = read_count("size of the cells");
    TextScanner ahead = scanner_;
    if (!ahead.at_end() && ahead.token("OFFSETS") == "OFFSETS") {
      read_offset_cells(number, size);
      return;
    }
    const std::vector<std::int64_t> list = read_integers(size, "int", "a cell");
    std::size_t next = 0;
    for (Index i = 0; i < number; ++i) {
      const std::int64_t left = static_cast<std::int64_t>(list.size() - next);
      if (left < 1 || list[next] < 0 || list[next] >= left) {
        scanner_.fail("cell {} does not fit into the {} numbers of CELLS", i, size);
      }
      const auto first = list.begin() + static_cast<std::ptrdiff_t>(next) + 1;
      cells_.connectivity.insert(cells_.connectivity.end(), first, first + list[next]);
      cells_.end.push_back(static_cast<std::int64_t>(cells_.connectivity.size()));
      next += static_cast<std::size_t>(list[next]) + 1;
    }
  }

  void read_offset_cells(Index offsets, Index points) {
    scanner_.expect("OFFSETS", "the cells");
    const std::string offset_type = integer_type();
    cells_.end = read_integers(offsets, offset_type, "an offset");
    if (cells_.end.empty() || cells_.end.front() != 0) scanner_.fail("OFFSETS do not begin at 0");
    cells_.end.erase(cells_.end.begin());
    scanner_.expect("CONNECTIVITY", "the cells");
    const std::string point_type = integer_type();
    cells_.connectivity = read_integers(points, point_type, "a point of a cell");
  }

  std::string integer_type() {
    std::string name(scanner_.token("a number type"));
    const auto type = vtk_type(name);
    if (!type || type->real) scanner_.fail("'{}' is not a type of integers", printable(name));
    return name;
  }

  // Ends at the first blank line; nothing in it looks like one of the keywords that may follow.
  void skip_metadata() {
    while (!scanner_.at_end()) {
      TextScanner ahead = scanner_;
      const std::string_view word = ahead.token("a keyword");
      if (word == "POINTS" || word == "CELLS" || word == "CELL_TYPES" || word == "POINT_DATA" ||
          word == "CELL_DATA" || word == "OFFSETS" || word == "CONNECTIVITY") {
        return;
      }
      scanner_.line("metadata");
    }
  }

  void skip_field() {
    scanner_.token("the name of a field");
    const Index arrays = read_count("number of arrays");
    for (Index a = 0; a < arrays; ++a) {
      scanner_.token("the name of an array");
      const std::int64_t components = read_count("number of components");
      const std::int64_t tuples = read_count("number of tuples");
      const VtkType type = read_type();
      if (binary_) {
        static_cast<void>(read_binary(components * tuples, type, "an array"));
      } else {
        for (std::int64_t k = 0; k < components * tuples; ++k) scanner_.token("a value");
      }
    }
  }

  TextScanner scanner_;
  MeshBuilder builder_;
  bool binary_ = false;
  bool has_cells_ = false;
  std::vector<double> points_;
  VtkCells cells_;
};

}  // namespace

TetMeshFile parse_vtk_legacy(std::string_view text, std::string_view name,
                             const MeshReadOptions& options) {
  return VtkLegacyReader(text, name).read(options);
}

}  // namespace nsn
