/// Tetrahedral meshes and their surfaces.
///
/// A tetrahedron (0, 1, 2, 3) is positive when its nodes 1, 2, 3 run counter-clockwise seen from
/// the side away from 0:  6 V = det(x1 - x0, x2 - x0, x3 - x0) > 0.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "nsn/core/base/index.h"
#include "nsn/core/base/small_matrix.h"

namespace nsn {

struct TetMesh {
  std::vector<Vec3> node;                 ///< rest positions, m
  std::vector<std::array<Index, 4>> tet;  ///< nodes of each tetrahedron
  std::vector<int> region;                ///< label of each tetrahedron; empty: all 0

  Index num_nodes() const { return static_cast<Index>(node.size()); }
  Index num_tets() const { return static_cast<Index>(tet.size()); }
};

/// Triangles with the outside on the side their vertices run counter-clockwise.
struct TriangleSurface {
  std::vector<Vec3> vertex;                    ///< m
  std::vector<std::array<Index, 3>> triangle;  ///< vertices of each triangle
  std::vector<Index>
      node;  ///< node of the tetrahedral mesh each vertex is; empty for surface files

  Index num_vertices() const { return static_cast<Index>(vertex.size()); }
  Index num_triangles() const { return static_cast<Index>(triangle.size()); }
};

/// Signed volume of tetrahedron t, m^3.
double signed_volume(const TetMesh& mesh, Index t);
/// Sum of the signed volumes, m^3.
double volume(const TetMesh& mesh);
/// Volume enclosed by a closed surface, m^3 (divergence theorem), and its area, m^2.
double enclosed_volume(const TriangleSurface& surface);
double area(const TriangleSurface& surface);

/// Why a mesh cannot be simulated, as a sentence that names the node or tetrahedron; empty if it
/// can. Looks for: no tetrahedra, an index out of range or used twice, coordinates that are not
/// finite, zero volume (below 1e-12 of the cube of the longest edge) and negative volume, nodes
/// that no tetrahedron uses, labels that do not match in number.
std::string find_defect(const TetMesh& mesh);
/// Throws std::invalid_argument with find_defect()'s sentence unless it is empty.
void check_mesh(const TetMesh& mesh);

/// Leaves out nodes that no tetrahedron uses; the others keep their order. Returns how many.
Index remove_unused_nodes(TetMesh& mesh);
/// Swaps two nodes of every tetrahedron of negative volume. Returns how many there were.
Index orient_tets(TetMesh& mesh);

/// Faces that belong to one tetrahedron, oriented outwards, and what is special about them.
struct SurfaceReport {
  TriangleSurface surface;
  Index shared_faces = 0;           ///< faces of three or more tetrahedra: not a solid, left out
  Index non_manifold_edges = 0;     ///< edges of the surface that do not have exactly two triangles
  Index non_manifold_vertices = 0;  ///< vertices whose triangles do not form one fan
  /// Empty for a closed manifold surface, otherwise a sentence: the surface is usable for contact,
  /// but has no unique inside near these places.
  std::string note;
};
SurfaceReport extract_surface(const TetMesh& mesh);
/// The same counts for a surface from elsewhere.
SurfaceReport inspect_surface(TriangleSurface surface);

}  // namespace nsn
