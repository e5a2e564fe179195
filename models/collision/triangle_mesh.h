/// Surfaces of triangles: closed or open, manifold or not.
///
/// Contacts with a mesh are made by its features (mesh_pairs.h): vertices, edges and triangles. An
/// edge can touch something only where the surface is convex along it (or free); flat and concave
/// edges, and vertices between flat edges only, are left out. Thickness is the surface's (Surface
/// in world.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nsn/models/collision/normal_arc.h"
#include "nsn/models/collision/point_tree.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

/// Where something may be: in a box and below a plane.
struct Region {
  Aabb box;
  Vec3 up;  ///< up . x <= top
  double top = 0.0;
};
inline bool above(const Region& region, const Aabb& box) {
  return -greatest_along(box, -region.up) > region.top;
}
inline bool above(const Region& region, std::span<const Vec3, 3> corners) {
  const Vec3& n = region.up;
  return std::min({dot(n, corners[0]), dot(n, corners[1]), dot(n, corners[2])}) > region.top;
}

/// The bounds of the region that a point is beyond, one bit each; 0: it is inside. Nothing of a
/// segment is inside if both its ends are beyond the same bound.
inline unsigned beyond(const Region& region, const Vec3& p) {
  auto bits = static_cast<unsigned>(dot(region.up, p) > region.top);
  for (int k = 0; k < 3; ++k) {
    bits |= static_cast<unsigned>(p[k] < region.box.lower[k]) << (1 + 2 * k);
    bits |= static_cast<unsigned>(p[k] > region.box.upper[k]) << (2 + 2 * k);
  }
  return bits;
}

struct MeshOptions {
  /// Things may touch it from both sides (a sheet); else only from the side the triangles are seen
  /// counter-clockwise from.
  bool two_sided = false;
  /// How far behind a triangle something may lie and still be pushed out in front, m; 0: a quarter
  /// of the smallest extent of the box around the mesh, or of the largest one for a flat mesh.
  double depth = 0.0;
  std::string name = "mesh";  ///< for messages
};

class TriangleMesh final : public Shape {
 public:
  static constexpr ShapeType kType = "mesh";

  struct Edge {
    int a = 0;
    int b = 0;
    int first_face = 0;   ///< into_faces()[first_face, first_face + faces)
    int faces = 0;        ///< 1: free, 2: inner, more: not manifold
    bool active = false;  ///< can touch something
    Vec3 outward;         ///< sum of its faces' normals
    NormalArc normals;
  };

  /// Throws std::invalid_argument naming the mesh and the triangle or point for indices out of
  /// range and points that are not finite. Triangles without area are dropped and counted.
  TriangleMesh(std::vector<Vec3> points, const std::vector<std::array<int, 3>>& triangles,
               MeshOptions options = {});

  const std::vector<Vec3>& points() const { return points_; }
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }
  const std::vector<Vec3>& normals() const { return normals_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::array<Vec3, 3> corners(int t) const {
    const std::array<int, 3>& v = triangles_[static_cast<std::size_t>(t)];
    return {points_[static_cast<std::size_t>(v[0])], points_[static_cast<std::size_t>(v[1])],
            points_[static_cast<std::size_t>(v[2])]};
  }
  /// No side that meets another in the first corner of its triangle is longer, m.
  double longest_side() const { return longest_side_; }
  /// Edges of triangle t, from corner k to k + 1.
  const std::array<int, 3>& triangle_edges(int t) const {
    return triangle_edges_[static_cast<std::size_t>(t)];
  }
  /// 1: the edge from corner k of triangle t to the next one is active, else 0.
  unsigned edge_active(int t, std::size_t k) const {
    return active_edges_[static_cast<std::size_t>(t)] >> k & 1U;
  }
  /// Number of the first edge that ends in vertex v in the list for all vertices.
  int first_edge(int v) const { return vertex_first_[static_cast<std::size_t>(v)]; }
  /// Edges that end in vertex v.
  std::span<const int> vertex_edges(int v) const {
    return {vertex_edges_.data() + first_edge(v), vertex_edges_.data() + first_edge(v + 1)};
  }
  /// Unit directions along the edges that end in the vertices, away from these, vertex by vertex.
  std::span<const Vec3> vertex_directions() const { return vertex_directions_; }
  bool vertex_active(int v) const { return vertex_active_[static_cast<std::size_t>(v)] != 0; }
  /// Unit directions from the edges into their faces, across the edge: those of edge e from
  /// its first_face on.
  std::span<const Vec3> into_faces() const { return into_faces_; }
  const Vec3& into_face(const Edge& edge, int k) const {
    return into_faces_[static_cast<std::size_t>(edge.first_face + k)];
  }
  bool two_sided() const { return options_.two_sided; }
  double depth() const { return options_.depth; }
  int dropped_triangles() const { return dropped_; }
  /// Every edge lies between exactly two triangles that agree on the outside.
  bool closed() const { return closed_; }

  /// Around everything, mesh axes.
  const Aabb& box() const { return box_; }
  /// Around triangle t.
  const Aabb& box(int t) const { return boxes_[static_cast<std::size_t>(t)]; }
  /// The corner of a triangle that is furthest along n, mesh axes.
  Vec3 support(const Vec3& n) const { return corners_.furthest(n); }
  /// Calls visit(t) for all triangles that may meet the region; neighbours follow each other.
  template <class Visit>
  void for_each_in(const Region& region, const Visit& visit) const;
  /// The numbers of all triangles whose boxes meet the given one, both in mesh axes, in ascending
  /// order.
  void find(const Aabb& box, std::vector<int>& out) const;

  ShapeType type() const override { return kType; }
  Aabb bounds(const Pose& pose) const override;
  SurfaceMesh surface() const override;
  /// Throws std::invalid_argument unless the mesh is closed and encloses a positive volume.
  Solid solid() const override;

 private:
  struct Node {
    Aabb box;
    int begin = 0;
    int end = 0;
    int right = -1;  ///< second child; the first one follows its parent. -1: a leaf
  };
  static constexpr int kFew = 24;  // of a node that are examined one by one
  void take(const std::vector<std::array<int, 3>>& triangles);
  void connect();
  void classify();
  Vec3 direction_into(const Edge& edge, int k) const;
  int build(int begin, int end);
  bool check_closed() const;
  MeshOptions options_;
  std::vector<Vec3> points_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<Vec3> normals_;
  double longest_side_ = 0.0;
  std::vector<Edge> edges_;
  std::vector<int> edge_faces_;
  std::vector<std::array<int, 3>> triangle_edges_;
  std::vector<std::uint8_t> active_edges_;  // of the triangles, a bit each
  std::vector<int> vertex_first_;
  std::vector<int> vertex_edges_;
  std::vector<Vec3> vertex_directions_;  // by vertex_edges_
  bool closed_ = false;
  std::vector<std::uint8_t> vertex_active_;
  std::vector<Vec3> into_faces_;  // by edge_faces_
  int dropped_ = 0;
  Aabb box_;
  std::vector<Aabb> boxes_;  // of the triangles
  std::vector<Node> nodes_;
  std::vector<int> order_;
  PointTree corners_;  // of all triangles
};

template <class Visit>
void TriangleMesh::for_each_in(const Region& region, const Visit& visit) const {
  std::array<std::size_t, 64> stack;  // depth of a median tree: log2 of the triangles, twice
  std::size_t top = 0;
  stack[top++] = 0;
  std::array<int, kFew> left;
  while (top > 0) {
    const std::size_t index = stack[--top];
    const Node& node = nodes_[index];
    if (!meet(region.box, node.box) || above(region, node.box)) continue;
    if (node.end - node.begin > kFew) {
      stack[top++] = static_cast<std::size_t>(node.right);
      stack[top++] = index + 1;
      continue;
    }
    // Without branches: which triangles pass cannot be foreseen.
    std::size_t count = 0;
    for (int k = node.begin; k < node.end; ++k) {
      const int t = order_[static_cast<std::size_t>(k)];
      left[count] = t;
      count += static_cast<std::size_t>(meet(region.box, box(t)));
    }
    std::size_t passed = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const int t = left[k];
      left[passed] = t;
      passed += static_cast<std::size_t>(!above(region, corners(t)));
    }
    for (std::size_t k = 0; k < passed; ++k) visit(left[k]);
  }
}

/// Its solid with the inertia of the mass given, kg m^2; throws as solid() does.
Solid solid_properties(const TriangleMesh& mesh, double mass);

}  // namespace nsn
