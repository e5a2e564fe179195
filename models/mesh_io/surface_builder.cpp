#include "nsn/models/mesh_io/surface_builder.h"

#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/models/mesh_io/mesh_builder.h"

namespace nsn {

SurfaceMeshFile finished_surface(TriangleSurface surface, std::string format, std::string_view name,
                                 std::vector<std::string> notes) {
  if (surface.triangle.empty()) throw InputError(fmt::format("{}: no triangles", name));
  SurfaceReport report = inspect_surface(std::move(surface));
  if (!report.note.empty()) notes.push_back(report.note);
  return {std::move(report.surface), std::move(format), std::move(notes)};
}

void SoupBuilder::add(const std::array<Vec3, 3>& corners) {
  std::array<Index, 3> triangle{};
  for (std::size_t k = 0; k < 3; ++k) triangle[k] = vertex(corners[k]);
  if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
    ++degenerate_;
  } else {
    surface_.triangle.push_back(triangle);
  }
}

SurfaceMeshFile SoupBuilder::finish(std::string format) {
  std::vector<std::string> notes;
  if (degenerate_ > 0)
    notes.push_back(fmt::format("skipped {} triangles without area", degenerate_));
  return finished_surface(std::move(surface_), std::move(format), name_, std::move(notes));
}

Index SoupBuilder::vertex(const Vec3& x) {
  // + 0.0 makes one zero of both.
  const std::array<double, 3> key = {x[0] + 0.0, x[1] + 0.0, x[2] + 0.0};
  const auto [place, fresh] = index_.emplace(key, surface_.num_vertices());
  if (fresh) surface_.vertex.push_back(x);
  return place->second;
}

}  // namespace nsn
