/// The surface of a shape as triangles: what the paper collides.
#pragma once

#include <memory>

#include "nsn/models/collision/shape.h"

namespace nsn {

/// Corners in one place are one vertex, round surfaces have the facets that are drawn. Null for what
/// has no such mesh: planes, what is only drawn, and rounded hulls; a mesh is its own.
std::shared_ptr<const Shape> mesh_of_shape(const std::shared_ptr<const Shape>& shape);

}  // namespace nsn
