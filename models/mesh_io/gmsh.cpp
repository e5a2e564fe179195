#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/binary_reader.h"
#include "nsn/models/mesh_io/mesh_builder.h"

namespace nsn {
namespace {

constexpr int kTet4 = 4;

// Nodes of each Gmsh element type; 0 where we do not know it.
int nodes_of_type(std::int64_t type) {
  constexpr std::array<int, 32> nodes = {0,  2,  3,  4,  4, 8, 6,  5,  3,  6, 9,
                                         10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10,
                                         12, 15, 15, 21, 4, 5, 6,  20, 35, 56};
  if (type == 92) return 64;
  if (type == 93) return 125;
  return type > 0 && type < 32 ? nodes[static_cast<std::size_t>(type)] : 0;
}

std::string type_name(std::int64_t type) {
  constexpr std::array<const char*, 16> names = {"0",
                                                 "line",
                                                 "triangle",
                                                 "quadrangle",
                                                 "tetrahedron",
                                                 "hexahedron",
                                                 "prism",
                                                 "pyramid",
                                                 "3-node line",
                                                 "6-node triangle",
                                                 "9-node quadrangle",
                                                 "10-node tetrahedron",
                                                 "27-node hexahedron",
                                                 "18-node prism",
                                                 "14-node pyramid",
                                                 "point"};
  return type > 0 && type < 16 ? names[static_cast<std::size_t>(type)] : fmt::format("{}", type);
}

int as_region(std::int64_t tag) {
  return static_cast<int>(std::clamp<std::int64_t>(tag, std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

// The numbers of a file, text or binary alike.
class Numbers {
 public:
  Numbers(TextScanner& scanner, bool binary, bool swapped)
      : scanner_(&scanner), binary_(binary), reader_(scanner, swapped) {}

  /// `int` of the format.
  std::int64_t integer(std::string_view what) {
    return binary_ ? reader_.read<std::int32_t>(what) : scanner_->integer(what);
  }
  /// `size_t` of the format, as far as it fits a signed number.
  std::int64_t size(std::string_view what) {
    return binary_ ? reader_.read<std::int64_t>(what) : scanner_->integer(what);
  }
  double real(std::string_view what) {
    return binary_ ? reader_.read<double>(what) : scanner_->number(what);
  }
  Vec3 position() {
    const double x = real("x");
    const double y = real("y");
    return vec3(x, y, real("z"));
  }
  /// Checks that `value` things of at least this many bytes, or numbers of text, can follow.
  void check_count(std::int64_t value, std::string_view what, std::int64_t bytes_each,
                   std::int64_t numbers_each) const {
    const std::int64_t most =
        binary_ ? scanner_->remaining() / bytes_each : scanner_->most_tokens() / numbers_each;
    if (value < 0 || value > most || value > std::numeric_limits<Index>::max()) {
      scanner_->fail("{} {} is more than the file can hold", what, value);
    }
  }

 private:
  TextScanner* scanner_;
  bool binary_;
  BinaryReader reader_;
};

class GmshReader {
 public:
  GmshReader(std::string_view text, std::string_view name) : scanner_(text, name), builder_(name) {}

  TetMeshFile read(const MeshReadOptions& options) {
    read_format();
    while (!scanner_.at_end()) read_section();
    if (!has_nodes_) scanner_.fail("the file has no $Nodes section");
    if (!has_elements_) scanner_.fail("the file has no $Elements section");
    return builder_.finish(
        fmt::format("gmsh {} {}", version_2_ ? "2.2" : "4.1", binary_ ? "binary" : "text"),
        options);
  }

 private:
  Numbers numbers() { return {scanner_, binary_, swapped_}; }

  void read_format() {
    scanner_.expect("$MeshFormat", "the first line");
    const std::string_view version = scanner_.token("the version");
    version_2_ = version == "2.2" || version == "2.1" || version == "2";
    if (!version_2_ && version != "4.1") {
      scanner_.fail("version '{}' of the format is not supported; 2.2 and 4.1 are",
                    printable(version));
    }
    const std::int64_t type = scanner_.integer("the file type");
    if (type != 0 && type != 1) scanner_.fail("file type {} is neither 0 nor 1", type);
    if (scanner_.integer("the data size") != 8) scanner_.fail("the data size is not 8");
    binary_ = type == 1;
    if (binary_) read_byte_order();
    scanner_.expect("$EndMeshFormat", "the end of the format");
  }

  void read_byte_order() {
    scanner_.end_line("the format");
    const std::string_view mark = scanner_.bytes(4, "the byte order");
    swapped_ = number_at<std::int32_t>(mark, 0, false) != 1;
    if (number_at<std::int32_t>(mark, 0, swapped_) != 1) scanner_.fail("the byte order is not 1");
  }

  void read_section() {
    const std::string section(scanner_.token("a section"));
    if (section.front() != '$') scanner_.fail("'{}' in place of a section", printable(section));
    if (section == "$Nodes") {
      begin(has_nodes_, section);
      version_2_ ? read_nodes_2() : read_nodes_4();
    } else if (section == "$Elements") {
      begin(has_elements_, section);
      version_2_ ? read_elements_2() : read_elements_4();
    } else {
      skip_section(section);
      return;
    }
    scanner_.expect("$End" + section.substr(1), "the end of " + section);
  }

  void begin(bool& seen, const std::string& section) {
    if (seen) scanner_.fail("{} occurs twice", section);
    seen = true;
    // Version 4 counts in binary from the first number on, version 2 writes one count as text.
    if (binary_ && !version_2_) scanner_.end_line(section);
  }

  void skip_section(const std::string& section) {
    const std::string end = "$End" + section.substr(1);
    if (!binary_) {
      while (scanner_.token(end) != end) {
      }
      return;
    }
    TextScanner rest = scanner_;
    const std::size_t found = rest.bytes(rest.remaining(), section).find(end);
    if (found == std::string_view::npos) scanner_.fail("{} has no end", printable(section));
    static_cast<void>(scanner_.bytes(static_cast<std::int64_t>(found + end.size()), section));
  }

  void read_nodes_2() {
    const std::int64_t number = scanner_.integer("the number of nodes");
    if (binary_) scanner_.end_line("the number of nodes");
    Numbers in = numbers();
    in.check_count(number, "number of nodes", 28, 4);
    for (std::int64_t k = 0; k < number; ++k) {
      const std::int64_t label = in.integer("a node");
      builder_.add_node(label, in.position(), scanner_);
    }
  }

  void read_nodes_4() {
    Numbers in = numbers();
    const std::int64_t blocks = in.size("the number of node blocks");
    std::int64_t left = in.size("the number of nodes");
    in.size("the smallest node");
    in.size("the largest node");
    in.check_count(left, "number of nodes", 32, 4);
    in.check_count(blocks, "number of node blocks", 20, 4);
    for (std::int64_t b = 0; b < blocks; ++b) read_node_block(in, left);
    if (left != 0) scanner_.fail("{} nodes are missing from the blocks", left);
  }

  void read_node_block(Numbers& in, std::int64_t& left) {
    const std::int64_t dimension = in.integer("the dimension of an entity");
    in.integer("the tag of an entity");
    const bool parametric = in.integer("whether nodes are parametric") != 0;
    const std::int64_t number = in.size("the number of nodes of a block");
    if (number < 0 || number > left) scanner_.fail("a block has {} of {} nodes", number, left);
    if (dimension < 0 || dimension > 3) scanner_.fail("dimension {} of an entity", dimension);
    left -= number;
    std::vector<std::int64_t> labels(static_cast<std::size_t>(number));
    for (std::int64_t& label : labels) label = in.size("a node");
    for (const std::int64_t label : labels) {
      builder_.add_node(label, in.position(), scanner_);
      for (std::int64_t k = 0; parametric && k < dimension; ++k) in.real("a parameter");
    }
  }

  void read_elements_2() {
    const std::int64_t number = scanner_.integer("the number of elements");
    if (binary_) scanner_.end_line("the number of elements");
    numbers().check_count(number, "number of elements", 8, 4);
    binary_ ? read_elements_2_binary(number) : read_elements_2_text(number);
  }

  void read_elements_2_text(std::int64_t number) {
    for (std::int64_t k = 0; k < number; ++k) {
      scanner_.integer("an element");
      const std::int64_t type = scanner_.integer("the type of an element");
      const std::int64_t line = scanner_.line_number();
      if (type != kTet4) {
        builder_.skip_element(type_name(type));
        scanner_.line("an element");
        continue;
      }
      const Index tags = scanner_.count("number of tags", 100);
      int region = 0;
      for (Index i = 0; i < tags; ++i) {
        const std::int64_t tag = scanner_.integer("a tag");
        if (i == 0) region = as_region(tag);
      }
      add_tet([&] { return scanner_.integer("a node of an element"); }, region, line);
    }
  }

  // Blocks of one type: type, number, tags; then label, tags, nodes of each element.
  void read_elements_2_binary(std::int64_t number) {
    Numbers in = numbers();
    while (number > 0) {
      const std::int64_t type = in.integer("the type of a block");
      const std::int64_t many = in.integer("the number of elements of a block");
      const std::int64_t tags = in.integer("the number of tags");
      const int nodes = nodes_of_type(type);
      if (nodes == 0) scanner_.fail("elements of the unknown type {} cannot be skipped", type);
      if (many < 1 || many > number) scanner_.fail("a block has {} of {} elements", many, number);
      if (tags < 0 || tags > 100) scanner_.fail("{} tags", tags);
      number -= many;
      const std::int64_t bytes = 4 * (1 + tags + nodes);
      in.check_count(many, "number of elements", bytes, 1);
      if (type != kTet4) {
        builder_.skip_element(type_name(type), static_cast<Index>(many));
        static_cast<void>(scanner_.bytes(many * bytes, "elements"));
        continue;
      }
      for (std::int64_t k = 0; k < many; ++k) {
        in.integer("an element");
        int region = 0;
        for (std::int64_t i = 0; i < tags; ++i) {
          const std::int64_t tag = in.integer("a tag");
          if (i == 0) region = as_region(tag);
        }
        add_tet([&] { return in.integer("a node of an element"); }, region, scanner_.line_number());
      }
    }
  }

  void read_elements_4() {
    Numbers in = numbers();
    const std::int64_t blocks = in.size("the number of element blocks");
    std::int64_t left = in.size("the number of elements");
    in.size("the smallest element");
    in.size("the largest element");
    in.check_count(left, "number of elements", 16, 2);
    in.check_count(blocks, "number of element blocks", 20, 4);
    for (std::int64_t b = 0; b < blocks; ++b) read_element_block(in, left);
    if (left != 0) scanner_.fail("{} elements are missing from the blocks", left);
  }

  void read_element_block(Numbers& in, std::int64_t& left) {
    in.integer("the dimension of an entity");
    const int region = as_region(in.integer("the tag of an entity"));
    const std::int64_t type = in.integer("the type of a block");
    const std::int64_t number = in.size("the number of elements of a block");
    if (number < 0 || number > left) scanner_.fail("a block has {} of {} elements", number, left);
    left -= number;
    if (type != kTet4) {
      skip_elements_4(type, number);
      return;
    }
    for (std::int64_t k = 0; k < number; ++k) {
      in.size("an element");
      add_tet([&] { return in.size("a node of an element"); }, region, scanner_.line_number());
    }
  }

  void skip_elements_4(std::int64_t type, std::int64_t number) {
    builder_.skip_element(type_name(type), static_cast<Index>(number));
    if (!binary_) {
      for (std::int64_t k = 0; k < number; ++k) scanner_.line("an element");
      return;
    }
    const int nodes = nodes_of_type(type);
    if (nodes == 0) scanner_.fail("elements of the unknown type {} cannot be skipped", type);
    static_cast<void>(scanner_.bytes(number * 8 * (1 + nodes), "elements"));
  }

  template <class Next>
  void add_tet(const Next& next, int region, std::int64_t line) {
    std::array<std::int64_t, 4> labels{};
    for (std::int64_t& label : labels) label = next();
    builder_.add_tet(labels, region, line);
  }

  TextScanner scanner_;
  MeshBuilder builder_;
  bool version_2_ = false;
  bool binary_ = false;
  bool swapped_ = false;
  bool has_nodes_ = false;
  bool has_elements_ = false;
};

}  // namespace

TetMeshFile parse_gmsh(std::string_view text, std::string_view name,
                       const MeshReadOptions& options) {
  return GmshReader(text, name).read(options);
}

}  // namespace nsn
