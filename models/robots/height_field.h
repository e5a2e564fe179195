/// A height field as a closed surface: heights over a grid of rectangles, walls, and a floor below.
#pragma once

#include <vector>

#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

/// x runs from -half_x to half_x over the columns, y from -half_y to half_y over the rows.
struct HeightField {
  int rows = 0;                ///< >= 2
  int columns = 0;             ///< >= 2
  double half_x = 1.0;         ///< m
  double half_y = 1.0;         ///< m
  double base = 0.0;           ///< depth of its floor below z = 0, m, > 0
  std::vector<double> height;  ///< m, >= 0, row after row
};

/// Two triangles a cell, cut along the diagonal from (x, y) to (x + dx, y + dy); normals point out.
TriangleSurface height_field_surface(const HeightField& field);

}  // namespace nsn
