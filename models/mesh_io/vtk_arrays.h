/// What both VTK formats share: numbers of a type named at run time, cells to tetrahedra.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/models/mesh_io/mesh_builder.h"

namespace nsn {

/// A number type of the legacy format ("unsigned_char", "vtktypeint64") or of the XML one
/// ("UInt8").
struct VtkType {
  int bytes = 0;
  bool real = false;
  bool is_signed = false;
};
/// Empty for a name that is none of them.
std::optional<VtkType> vtk_type(std::string_view name);

/// data holds whole numbers of that type. An unsigned value beyond 2^63 becomes negative.
std::vector<double> vtk_reals(std::string_view data, const VtkType& type, bool swapped);
/// A type that is not an integer yields nothing.
std::vector<std::int64_t> vtk_integers(std::string_view data, const VtkType& type, bool swapped);

/// The cells of a grid: cell i has the points connectivity[end(i-1)] ... connectivity[end(i) - 1].
struct VtkCells {
  std::vector<std::int64_t> connectivity;
  std::vector<std::int64_t> end;
  std::vector<std::int64_t> type;
};

/// Adds positions (three numbers a point) and the tetrahedra among the cells, with point_offset
/// added to their points; counts the other cells. scanner for errors.
void add_vtk_grid(const std::vector<double>& points, const VtkCells& cells, std::int64_t num_points,
                  std::int64_t point_offset, const TextScanner& scanner, MeshBuilder& builder);

}  // namespace nsn
