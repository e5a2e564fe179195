#include "nsn/models/robots/height_field.h"

#include "nsn/core/base/types.h"

namespace nsn {

TriangleSurface height_field_surface(const HeightField& field) {
  TriangleSurface surface;
  for (const bool top : {true, false}) {
    for (int r = 0; r < field.rows; ++r) {
      for (int c = 0; c < field.columns; ++c) {
        const double x = field.half_x * (2.0 * c / (field.columns - 1) - 1.0);
        const double y = field.half_y * (2.0 * r / (field.rows - 1) - 1.0);
        const double z = top ? field.height[to_size(r * field.columns + c)] : -field.base;
        surface.vertex.push_back({x, y, z});
      }
    }
  }
  const Index below = field.rows * field.columns;
  const auto at = [&](int r, int c) { return static_cast<Index>(r * field.columns + c); };
  const auto add = [&](Index a, Index b, Index c) { surface.triangle.push_back({a, b, c}); };
  for (int r = 0; r + 1 < field.rows; ++r) {
    for (int c = 0; c + 1 < field.columns; ++c) {
      const Index corner[] = {at(r, c), at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)};
      add(corner[0], corner[1], corner[2]);
      add(corner[0], corner[2], corner[3]);
      add(below + corner[0], below + corner[2], below + corner[1]);
      add(below + corner[0], below + corner[3], below + corner[2]);
    }
  }
  const auto wall = [&](Index from, Index to) {  // counterclockwise seen from above
    add(below + from, below + to, to);
    add(below + from, to, from);
  };
  for (int c = 0; c + 1 < field.columns; ++c) {
    wall(at(0, c), at(0, c + 1));
    wall(at(field.rows - 1, c + 1), at(field.rows - 1, c));
  }
  for (int r = 0; r + 1 < field.rows; ++r) {
    wall(at(r + 1, 0), at(r, 0));
    wall(at(r, field.columns - 1), at(r + 1, field.columns - 1));
  }
  return surface;
}

}  // namespace nsn
