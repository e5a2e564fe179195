/// Surfaces from what a reader has found: triangles whose corners are positions, or a list with indices.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/models/mesh_io/mesh_io.h"

namespace nsn {

/// Checks common to all formats, and the notes on the surface. Throws InputError where there are no triangles.
SurfaceMeshFile finished_surface(TriangleSurface surface, std::string format, std::string_view name,
                                 std::vector<std::string> notes);

/// Vertices with the same coordinates are one; triangles without area are counted.
class SoupBuilder {
 public:
  explicit SoupBuilder(std::string_view name) : name_(name) {}

  void add(const std::array<Vec3, 3>& corners);
  SurfaceMeshFile finish(std::string format);

 private:
  Index vertex(const Vec3& x);

  std::string_view name_;
  TriangleSurface surface_;
  std::map<std::array<double, 3>, Index> index_;
  Index degenerate_ = 0;
};

}  // namespace nsn
