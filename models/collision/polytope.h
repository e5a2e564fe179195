/// Convex polytopes with their edges and faces: the core of every convex shape but the cylinder.
///
///   point (ball)   segment (capsule)   triangle, box, convex hull
///
/// A core and a radius make the shape: all points within the radius of the core.
#pragma once

#include <string_view>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

struct Polytope {
  /// Runs from vertex a to b along face `left` and from b to a along `right`; a segment of its own
  /// has -1 for both.
  struct Edge {
    int a = 0;
    int b = 0;
    int left = -1;
    int right = -1;
  };
  /// normal . x <= offset inside; corners loop[begin] ... loop[end - 1], counter-clockwise seen
  /// from outside, edge loop_edge[k] from corner k to the next.
  struct Face {
    Vec3 normal;
    double offset = 0.0;
    int begin = 0;
    int end = 0;
  };

  std::vector<Vec3> vertices;
  std::vector<Edge> edges;
  std::vector<Face> faces;
  std::vector<int> loop;
  std::vector<int> loop_edge;
  double size = 0.0;  ///< diagonal of the box around it, m

  const Vec3& vertex(int k) const { return vertices[static_cast<std::size_t>(k)]; }
  const Edge& edge(int k) const { return edges[static_cast<std::size_t>(k)]; }
  const Face& face(int k) const { return faces[static_cast<std::size_t>(k)]; }
  int num_vertices() const { return static_cast<int>(vertices.size()); }
  int num_edges() const { return static_cast<int>(edges.size()); }
  int num_faces() const { return static_cast<int>(faces.size()); }
  /// The vertex furthest along d; the first one of several.
  int support(const Vec3& d) const;
};

Polytope point_polytope();
/// Along z, centred.
Polytope segment_polytope(double length);
/// Two faces, one on each side; replaces what `out` held without allocating again.
void set_triangle(const Vec3& a, const Vec3& b, const Vec3& c, Polytope& out);
/// From polygons counter-clockwise seen from outside. Throws std::invalid_argument, with `name` in
/// front, unless they enclose a convex body: every edge between two faces, every vertex behind
/// every face to 1e-9 of the size, a volume that is not zero.
Polytope polytope_from_faces(const SurfaceMesh& mesh, std::string_view name);

}  // namespace nsn
