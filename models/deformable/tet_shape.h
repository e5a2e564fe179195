/// Linear shape functions of the tetrahedra of a mesh: F = sum_a x_a g_a^T.
#pragma once

#include "nsn/core/elastic/tetrahedron.h"
#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

/// Tetrahedron t at rest; weight: its volume times `factor`.
TetElement tet_element(const TetMesh& mesh, Index t, double factor);

}  // namespace nsn
