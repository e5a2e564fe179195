// Wavefront OBJ and STL.
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"
#include "nsn/models/mesh_io/binary_reader.h"
#include "nsn/models/mesh_io/mesh_builder.h"
#include "nsn/models/mesh_io/surface_builder.h"

namespace nsn {
namespace {

// "7", "7/1", "7//3", "-1/..": the vertex, counted from 0.
Index obj_vertex(TextScanner& scanner, std::string_view token, Index num_vertices) {
  const std::string_view digits = token.substr(0, token.find('/'));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    scanner.fail("'{}' is not a vertex of a face", printable(token));
  }
  const std::int64_t index = value < 0 ? num_vertices + value : value - 1;
  if (index < 0 || index >= num_vertices) {
    scanner.fail("a face has vertex {}, there are {} before it", value, num_vertices);
  }
  return static_cast<Index>(index);
}

// Polygons become fans around their first vertex.
void read_obj_face(TextScanner& scanner, std::string_view line, TriangleSurface& surface) {
  std::vector<Index> polygon;
  TextScanner words(line, "");
  while (!words.at_end()) {
    polygon.push_back(obj_vertex(scanner, words.token("a vertex"), surface.num_vertices()));
  }
  if (polygon.size() < 3) scanner.fail("a face of {} vertices", polygon.size());
  for (std::size_t k = 2; k < polygon.size(); ++k) {
    if (polygon[0] == polygon[k - 1] || polygon[k - 1] == polygon[k] || polygon[0] == polygon[k]) {
      scanner.fail("a face uses vertex {} twice", polygon[k] + 1);
    }
    surface.triangle.push_back({polygon[0], polygon[k - 1], polygon[k]});
  }
}

constexpr std::int64_t kStlHeader = 84;
constexpr std::int64_t kStlTriangle = 50;

std::int64_t binary_stl_triangles(std::string_view text) {
  return number_at<std::uint32_t>(text.substr(80, 4), 0, needs_swap(false));
}

// The count in a binary file fits its length; text files begin with "solid", but so do some binary
// ones.
bool is_binary_stl(std::string_view text) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (size < kStlHeader) return false;
  if (size == kStlHeader + kStlTriangle * binary_stl_triangles(text)) return true;
  return text.substr(0, 5) != "solid";
}

SurfaceMeshFile parse_binary_stl(std::string_view text, std::string_view name) {
  const std::int64_t triangles = binary_stl_triangles(text);
  const auto size = static_cast<std::int64_t>(text.size());
  if (size < kStlHeader + kStlTriangle * triangles) {
    throw InputError(fmt::format("{}: {} triangles need {} bytes, the file has {}", name, triangles,
                                 kStlHeader + kStlTriangle * triangles, size));
  }
  SoupBuilder soup(name);
  for (std::int64_t t = 0; t < triangles; ++t) {
    const std::string_view data =
        text.substr(static_cast<std::size_t>(kStlHeader + kStlTriangle * t), kStlTriangle);
    std::array<Vec3, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        corners[k][static_cast<int>(i)] = number_at<float>(data, 3 + 3 * k + i, needs_swap(false));
      }
      if (!all_finite(corners[k])) {
        throw InputError(fmt::format("{}: triangle {} has no finite position", name, t));
      }
    }
    soup.add(corners);
  }
  return soup.finish("stl binary");
}

std::array<Vec3, 3> read_facet(TextScanner& scanner) {
  scanner.expect("normal", "a facet");
  for (int i = 0; i < 3; ++i) scanner.token("a normal");  // often 0 or nan, and never needed
  scanner.expect("outer", "a facet");
  scanner.expect("loop", "a facet");
  std::array<Vec3, 3> corners;
  for (Vec3& corner : corners) {
    scanner.expect("vertex", "a facet");
    corner = read_position(scanner);
  }
  scanner.expect("endloop", "the end of a facet");
  scanner.expect("endfacet", "the end of a facet");
  return corners;
}

// One or more solids; their names may be anything.
SurfaceMeshFile parse_text_stl(std::string_view text, std::string_view name) {
  TextScanner scanner(text, name);
  SoupBuilder soup(name);
  scanner.expect("solid", "the first word");
  bool in_name = true;
  bool ended = false;
  while (!ended || !scanner.at_end()) {
    const std::string_view word = scanner.token("facet or endsolid");
    if (word == "facet") {
      soup.add(read_facet(scanner));
      in_name = false;
    } else if (word == "solid" || word == "endsolid") {
      in_name = true;
      ended = word == "endsolid";
    } else if (!in_name) {
      scanner.fail("'{}' in place of facet or endsolid", printable(word));
    }
  }
  return soup.finish("stl text");
}

}  // namespace

SurfaceMeshFile parse_obj(std::string_view text, std::string_view name) {
  TextScanner scanner(text, name);
  TriangleSurface surface;
  while (!scanner.at_end()) {
    const std::string_view line = scanner.line("a line");
    const std::size_t blank = line.find_first_of(" \t\r");
    const std::string_view word = line.substr(0, blank);
    const std::string_view rest = blank == std::string_view::npos ? "" : line.substr(blank);
    if (word == "v") {
      TextScanner numbers(rest, name, scanner.line_number());
      surface.vertex.push_back(read_position(numbers));
    } else if (word == "f") {
      read_obj_face(scanner, rest, surface);
    }
  }
  return finished_surface(std::move(surface), "obj", name, {});
}

/// Four counts, positions, normals, texture coordinates, triangles: 4 bytes a number.
SurfaceMeshFile parse_surface_msh(std::string_view text, std::string_view name) {
  const bool swapped = needs_swap(false);
  constexpr std::size_t kNumber = 4;
  std::array<std::int64_t, 4> count{};  // vertices, normals, texture coordinates, triangles
  if (text.size() < 4 * kNumber) throw InputError(fmt::format("{}: no counts of a .msh", name));
  for (std::size_t k = 0; k < 4; ++k) count[k] = number_at<std::int32_t>(text, k, swapped);
  bool sound = true;
  for (const std::int64_t n : count) sound = sound && n >= 0 && n < (std::int64_t{1} << 28U);
  const std::int64_t numbers =
      sound ? 4 + 3 * count[0] + 3 * count[1] + 2 * count[2] + 3 * count[3] : 0;
  if (!sound || static_cast<std::int64_t>(text.size() / kNumber) != numbers) {
    throw InputError(
        fmt::format("{}: {} bytes are not those of a surface in MuJoCo's .msh", name, text.size()));
  }
  SoupBuilder soup(name);
  const std::int64_t first = numbers - 3 * count[3];
  for (std::int64_t t = 0; t < count[3]; ++t) {
    std::array<Vec3, 3> corners;
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::int64_t v =
          number_at<std::int32_t>(text, static_cast<std::size_t>(first + 3 * t + i), swapped);
      if (v < 0 || v >= count[0]) {
        throw InputError(fmt::format("{}: triangle {} has no vertex {}", name, t, v));
      }
      for (std::int64_t c = 0; c < 3; ++c) {
        corners[static_cast<std::size_t>(i)][static_cast<int>(c)] =
            number_at<float>(text, static_cast<std::size_t>(4 + 3 * v + c), swapped);
      }
      if (!all_finite(corners[static_cast<std::size_t>(i)])) {
        throw InputError(fmt::format("{}: triangle {} has no finite position", name, t));
      }
    }
    soup.add(corners);
  }
  return soup.finish("msh surface");
}

SurfaceMeshFile parse_stl(std::string_view text, std::string_view name) {
  return is_binary_stl(text) ? parse_binary_stl(text, name) : parse_text_stl(text, name);
}

}  // namespace nsn
