// TetGen's .node/.ele and the two texts that go by .tet.
#include <array>
#include <cmath>
#include <string>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/mesh_builder.h"

namespace nsn {
namespace {

// Comments from '#' to the end of a line, overwritten by blanks: lines keep their numbers.
std::string without_comments(std::string_view text) {
  std::string out(text);
  bool comment = false;
  for (char& c : out) {
    if (c == '\n') comment = false;
    if (c == '#') comment = true;
    if (comment) c = ' ';
  }
  return out;
}

void read_tetgen_nodes(std::string_view text, std::string_view name, MeshBuilder& builder) {
  TextScanner scanner(text, name);
  const Index number = scanner.count("number of nodes", scanner.most_tokens() / 4);
  if (scanner.integer("the dimension") != 3) scanner.fail("the dimension is not 3");
  const Index attributes = scanner.count("number of attributes", 1000);
  const Index markers = scanner.count("number of markers", 1);
  for (Index k = 0; k < number; ++k) {
    const std::int64_t label = scanner.integer("a node");
    if (k == 0 && label != 0 && label != 1) scanner.fail("the first node is {}, not 0 or 1", label);
    builder.add_node(label, read_position(scanner), scanner);
    for (Index i = 0; i < attributes; ++i) scanner.number("an attribute");
    for (Index i = 0; i < markers; ++i) scanner.integer("a marker");
  }
}

void read_tetgen_elements(std::string_view text, std::string_view name, MeshBuilder& builder) {
  TextScanner scanner(text, name);
  const Index number = scanner.count("number of tetrahedra", scanner.most_tokens() / 5);
  const std::int64_t nodes = scanner.integer("the nodes of a tetrahedron");
  if (nodes != 4 && nodes != 10) scanner.fail("{} nodes of a tetrahedron, not 4 or 10", nodes);
  const Index attributes = scanner.count("number of attributes", 1000);
  for (Index k = 0; k < number; ++k) {
    scanner.integer("a tetrahedron");
    const std::int64_t line = scanner.line_number();
    std::array<std::int64_t, 4> labels{};
    for (std::int64_t& label : labels) label = scanner.integer("a node of a tetrahedron");
    for (std::int64_t i = 4; i < nodes; ++i) scanner.integer("a node of a tetrahedron");
    int region = 0;
    for (Index i = 0; i < attributes; ++i) {
      const double value = scanner.number("an attribute");
      if (i == 0 && std::fabs(value) < 1e9) region = static_cast<int>(value);
    }
    builder.add_tet(labels, region, line);
  }
}

std::array<std::int64_t, 4> read_labels(TextScanner& scanner) {
  std::array<std::int64_t, 4> labels{};
  for (std::int64_t& label : labels) label = scanner.integer("a node of a tetrahedron");
  return labels;
}

// v x y z / t a b c d, in any order, counted from 0
void read_marked_lines(TextScanner& scanner, MeshBuilder& builder) {
  while (!scanner.at_end()) {
    const std::string_view mark = scanner.token("v or t");
    if (mark == "v") {
      builder.add_node(read_position(scanner));
    } else if (mark == "t") {
      const std::int64_t line = scanner.line_number();
      builder.add_tet(read_labels(scanner), 0, line);
    } else {
      scanner.fail("'{}' in place of v or t", printable(mark));
    }
  }
}

// n vertices / m tets / positions / 4 a b c d, counted from 0
void read_counted_lists(TextScanner& scanner, MeshBuilder& builder) {
  const Index nodes = scanner.count("number of vertices", scanner.most_tokens() / 3);
  scanner.expect("vertices", "the first line");
  const Index tets = scanner.count("number of tetrahedra", scanner.most_tokens() / 4);
  scanner.expect("tets", "the second line");
  for (Index k = 0; k < nodes; ++k) builder.add_node(read_position(scanner));
  for (Index k = 0; k < tets; ++k) {
    const std::int64_t many = scanner.integer("the nodes of a tetrahedron");
    if (many != 4) scanner.fail("an element of {} nodes", many);
    const std::int64_t line = scanner.line_number();
    builder.add_tet(read_labels(scanner), 0, line);
  }
}

}  // namespace

TetMeshFile parse_tetgen(std::string_view node_text, std::string_view node_name,
                         std::string_view ele_text, std::string_view ele_name,
                         const MeshReadOptions& options) {
  MeshBuilder builder(ele_name);
  const std::string nodes = without_comments(node_text);
  const std::string elements = without_comments(ele_text);
  read_tetgen_nodes(nodes, node_name, builder);
  read_tetgen_elements(elements, ele_name, builder);
  return builder.finish("tetgen", options);
}

TetMeshFile parse_tet_text(std::string_view text, std::string_view name,
                           const MeshReadOptions& options) {
  MeshBuilder builder(name);
  const std::string clean = without_comments(text);
  TextScanner scanner(clean, name);
  TextScanner ahead = scanner;
  const std::string_view first = ahead.token("the first line");
  if (first == "v" || first == "t") {
    read_marked_lines(scanner, builder);
  } else {
    read_counted_lists(scanner, builder);
  }
  return builder.finish("tet", options);
}

}  // namespace nsn
