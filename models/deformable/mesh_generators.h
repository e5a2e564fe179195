/// Tetrahedral meshes made by formula, so that every scene runs without files. All tetrahedra are
/// positive, every mesh is one closed manifold solid.
#pragma once

#include <array>
#include <functional>

#include "nsn/models/deformable/tet_mesh.h"

namespace nsn {

/// How a cubic cell is divided.
enum class CellPattern {
  kSix,  ///< six tetrahedra around one diagonal, the same in every cell
  kFive  ///< five, mirrored from cell to cell: fewer, and without a preferred direction
};

/// Cells (i, j, k) of a regular grid: origin + (i, j, k) * cell. region(i, j, k) >= 0: the cell is
/// solid, and that is its label; < 0: there is none.
struct GridMesh {
  std::array<Index, 3> cells = {1, 1, 1};  ///< numbers of cells, >= 1
  Vec3 origin;                             ///< m
  Vec3 cell = vec3(1.0, 1.0, 1.0);         ///< edges of a cell, m, > 0
  CellPattern pattern = CellPattern::kSix;
  std::function<int(Index, Index, Index)> region = [](Index, Index, Index) { return 0; };
};
TetMesh grid_mesh(const GridMesh& grid);

/// A box from the origin to (size), m, > 0 each; a sheet is a box of one or two cells of height.
TetMesh bar_mesh(const Vec3& size, const std::array<Index, 3>& cells,
                 CellPattern pattern = CellPattern::kSix);

/// A ball of exactly `tets` tetrahedra around the origin: shells of a subdivided icosahedron around
/// a centre, and the largest tetrahedra divided at their centroids until the number is met.
/// 320 (80 triangles on the surface) needs no dividing, 427 nine times. Throws
/// std::invalid_argument where there is none: below 180 most numbers, at or above it none.
TetMesh ball_mesh(double radius, Index tets);

/// Labels of the tetrahedra of a finger.
enum FingerRegion { kFingerBody = 0, kFingerChamber = 1, kFingerLayer = 2 };

/// A bending actuator of the PneuNet kind: chambers in a row over a layer that does not stretch.
/// Activated chambers (Tetrahedra::set_activation) want to grow, the layer does not: the finger
/// curls towards the layer.
///
///     z   +--+  +--+  +--+  +--+        arches and the valleys between them, kFingerChamber
///     ^   |  +--+  +--+  +--+  |
///     |   +--+--+--+--+--+--+--+        body, kFingerBody
///     |   +====================+        layer, kFingerLayer: give it a large stiffness_scale
///     +--> x      length
///
/// What is above the body pushes along x only where it meets its neighbour: without valleys each
/// chamber grows into the gaps beside it, and a finger hardly curls.
struct FingerMesh {
  Index chambers = 8;            ///< >= 1
  double length = 0.115;         ///< x, m
  double width = 0.02;           ///< y, m
  double base_height = 0.005;    ///< layer and body together, m
  double chamber_height = 0.01;  ///< m
  Index cells_per_chamber = 2;   ///< along x; a gap is one cell
  Index cells_across = 2;        ///< along y
  Index cells_of_chamber = 2;    ///< along z
  Index cells_of_valley = 1;     ///< along z, 0 ... cells_of_chamber: chambers joined so high
};
/// With the defaults 850 tetrahedra: three fingers have 2550.
TetMesh finger_mesh(const FingerMesh& finger = {});

}  // namespace nsn
