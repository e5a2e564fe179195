#include "nsn/models/mesh_io/vtk_arrays.h"

#include <array>

#include "nsn/models/mesh_io/binary_reader.h"

namespace nsn {
namespace {

struct NamedType {
  std::string_view legacy;
  std::string_view xml;
  VtkType type;
};
constexpr std::array<NamedType, 14> kTypes = {{{"char", "Int8", {1, false, true}},
                                               {"signed_char", "", {1, false, true}},
                                               {"unsigned_char", "UInt8", {1, false, false}},
                                               {"short", "Int16", {2, false, true}},
                                               {"unsigned_short", "UInt16", {2, false, false}},
                                               {"int", "Int32", {4, false, true}},
                                               {"unsigned_int", "UInt32", {4, false, false}},
                                               {"long", "Int64", {8, false, true}},
                                               {"unsigned_long", "UInt64", {8, false, false}},
                                               {"vtktypeint64", "", {8, false, true}},
                                               {"vtktypeuint64", "", {8, false, false}},
                                               {"vtkIdType", "", {4, false, true}},
                                               {"float", "Float32", {4, true, true}},
                                               {"double", "Float64", {8, true, true}}}};

constexpr std::int64_t kVtkTetra = 10;

std::string cell_name(std::int64_t type) {
  constexpr std::array<const char*, 15> names = {
      "empty cell", "vertex",         "poly-vertex", "line",  "poly-line",
      "triangle",   "triangle strip", "polygon",     "pixel", "quadrilateral",
      "tetra",      "voxel",          "hexahedron",  "wedge", "pyramid"};
  return type >= 0 && type < 15 ? names[static_cast<std::size_t>(type)] : fmt::format("{}", type);
}

// Points of the cells above; 0 where it varies or is not known.
std::int64_t points_of_cell(std::int64_t type) {
  constexpr std::array<int, 15> points = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4, 8, 8, 6, 5};
  return type >= 0 && type < 15 ? points[static_cast<std::size_t>(type)] : 0;
}

template <class T, class Out>
std::vector<Out> converted(std::string_view data, bool swapped) {
  std::vector<Out> out(data.size() / sizeof(T));
  for (std::size_t k = 0; k < out.size(); ++k) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an Int8 has a sign
    out[k] = static_cast<Out>(number_at<T>(data, k, swapped));
  }
  return out;
}

template <class Out>
std::vector<Out> whole_numbers(std::string_view data, const VtkType& type, bool swapped) {
  switch (type.bytes * (type.is_signed ? 1 : -1)) {
    case 1:
      return converted<std::int8_t, Out>(data, swapped);
    case -1:
      return converted<std::uint8_t, Out>(data, swapped);
    case 2:
      return converted<std::int16_t, Out>(data, swapped);
    case -2:
      return converted<std::uint16_t, Out>(data, swapped);
    case 4:
      return converted<std::int32_t, Out>(data, swapped);
    case -4:
      return converted<std::uint32_t, Out>(data, swapped);
    default:
      return converted<std::int64_t, Out>(data, swapped);
  }
}

}  // namespace

std::optional<VtkType> vtk_type(std::string_view name) {
  for (const NamedType& known : kTypes) {
    if (!name.empty() && (name == known.legacy || name == known.xml)) return known.type;
  }
  return std::nullopt;
}

std::vector<double> vtk_reals(std::string_view data, const VtkType& type, bool swapped) {
  if (!type.real) return whole_numbers<double>(data, type, swapped);
  return type.bytes == 4 ? converted<float, double>(data, swapped)
                         : converted<double, double>(data, swapped);
}

std::vector<std::int64_t> vtk_integers(std::string_view data, const VtkType& type, bool swapped) {
  if (type.real) return {};
  return whole_numbers<std::int64_t>(data, type, swapped);
}

void add_vtk_grid(const std::vector<double>& points, const VtkCells& cells, std::int64_t num_points,
                  std::int64_t point_offset, const TextScanner& scanner, MeshBuilder& builder) {
  for (std::size_t k = 0; k + 2 < points.size(); k += 3) {
    builder.add_node(vec3(points[k], points[k + 1], points[k + 2]));
  }
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < cells.type.size(); ++i) {
    const std::int64_t end = cells.end[i];
    if (end < begin || end > static_cast<std::int64_t>(cells.connectivity.size())) {
      scanner.fail("cell {} has the points {} to {} of {}", i, begin, end,
                   cells.connectivity.size());
    }
    const std::int64_t points_of_type = points_of_cell(cells.type[i]);
    if (points_of_type > 0 && end - begin != points_of_type) {
      scanner.fail("cell {} is a {} of {} points", i, cell_name(cells.type[i]), end - begin);
    }
    if (cells.type[i] != kVtkTetra) {
      builder.skip_element(cell_name(cells.type[i]));
    } else {
      std::array<std::int64_t, 4> labels{};
      for (std::size_t a = 0; a < 4; ++a) {
        const std::int64_t point = cells.connectivity[static_cast<std::size_t>(begin) + a];
        if (point < 0 || point >= num_points) {
          scanner.fail("cell {} has point {}, there are {}", i, point, num_points);
        }
        labels[a] = point + point_offset;
      }
      builder.add_tet(labels, 0, scanner.line_number());
    }
    begin = end;
  }
}

}  // namespace nsn
