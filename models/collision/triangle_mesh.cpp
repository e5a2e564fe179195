#include "nsn/models/collision/triangle_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

constexpr int kLeaf = 4;
/// Edges turned by less than this (rad) are flat.
constexpr double kFlat = 1e-6;

double default_depth(const Aabb& box) {
  const Vec3 size = box.upper - box.lower;
  const double least = std::min({size[0], size[1], size[2]});
  const double most = std::max({size[0], size[1], size[2]});
  return 0.25 * (least > 1e-6 * most ? least : most);
}

}  // namespace

TriangleMesh::TriangleMesh(std::vector<Vec3> points,
                           const std::vector<std::array<int, 3>>& triangles, MeshOptions options)
    : options_(std::move(options)), points_(std::move(points)) {
  NSN_THROW_UNLESS(options_.depth >= 0.0 && std::isfinite(options_.depth),
                   "{}: depth {} is negative or not finite", options_.name, options_.depth);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    NSN_THROW_UNLESS(all_finite(points_[k]), "{}: point {} is not finite", options_.name, k);
  }
  take(triangles);
  box_ = box_of(points_);
  if (options_.depth == 0.0) options_.depth = default_depth(box_);
  connect();
  classify();
  closed_ = check_closed();
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    boxes_.push_back(box_of(corners(static_cast<int>(t))));
  }
  order_.resize(triangles_.size());
  for (std::size_t t = 0; t < order_.size(); ++t) order_[t] = static_cast<int>(t);
  build(0, static_cast<int>(order_.size()));
  std::vector<bool> known(points_.size(), false);
  std::vector<Vec3> corners;
  for (const auto& t : triangles_) {
    for (const int v : t) {
      if (!known[to_size(v)]) corners.push_back(points_[to_size(v)]);
      known[to_size(v)] = true;
    }
  }
  corners_ = PointTree(std::move(corners));
}

void TriangleMesh::take(const std::vector<std::array<int, 3>>& triangles) {
  const int count = static_cast<int>(points_.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const int k : triangles[t]) {
      NSN_THROW_UNLESS(k >= 0 && k < count, "{}: triangle {} names point {} of {}", options_.name,
                       t, k, count);
    }
    const Vec3 u = points_[to_size(triangles[t][1])] - points_[to_size(triangles[t][0])];
    const Vec3 v = points_[to_size(triangles[t][2])] - points_[to_size(triangles[t][0])];
    const Vec3 area = cross(u, v);
    const double longest = std::max({dot(u, u), dot(v, v), dot(u - v, u - v)});
    if (!(norm(area) > 1e-12 * longest)) {
      ++dropped_;
      continue;
    }
    triangles_.push_back(triangles[t]);
    normals_.push_back(normalized(area));
    longest_side_ = std::max({longest_side_, norm(u), norm(v)});
  }
  NSN_THROW_UNLESS(!triangles_.empty(), "{}: none of {} triangles has an area", options_.name,
                   triangles.size());
}

void TriangleMesh::connect() {
  std::map<std::pair<int, int>, int> known;
  std::vector<std::vector<int>> faces;
  triangle_edges_.resize(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = triangles_[t][k];
      const int j = triangles_[t][(k + 1) % 3];
      const auto [found, is_new] =
          known.try_emplace({std::min(i, j), std::max(i, j)}, static_cast<int>(edges_.size()));
      if (is_new) {
        edges_.push_back({std::min(i, j), std::max(i, j), 0, 0, false, {}, {}});
        faces.emplace_back();
      }
      faces[to_size(found->second)].push_back(static_cast<int>(t));
      triangle_edges_[t][k] = found->second;
    }
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edges_[e].first_face = static_cast<int>(edge_faces_.size());
    edges_[e].faces = static_cast<int>(faces[e].size());
    for (const int t : faces[e]) edges_[e].outward += normals_[to_size(t)];
    edge_faces_.insert(edge_faces_.end(), faces[e].begin(), faces[e].end());
  }
  std::vector<std::vector<int>> at_vertex(points_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    at_vertex[to_size(edges_[e].a)].push_back(static_cast<int>(e));
    at_vertex[to_size(edges_[e].b)].push_back(static_cast<int>(e));
    for (int k = 0; k < edges_[e].faces; ++k) {
      into_faces_.push_back(direction_into(edges_[e], k));
    }
  }
  vertex_first_.push_back(0);
  for (std::size_t v = 0; v < at_vertex.size(); ++v) {
    const std::vector<int>& list = at_vertex[v];
    vertex_edges_.insert(vertex_edges_.end(), list.begin(), list.end());
    for (const int e : list) {
      const Edge& edge = edges_[to_size(e)];
      const int far = to_size(edge.a) == v ? edge.b : edge.a;
      vertex_directions_.push_back(normalized(points_[to_size(far)] - points_[v]));
    }
    vertex_first_.push_back(static_cast<int>(vertex_edges_.size()));
  }
}

Vec3 TriangleMesh::direction_into(const Edge& edge, int k) const {
  const std::array<int, 3>& t = triangles_[to_size(edge_faces_[to_size(edge.first_face + k)])];
  int third = t[0];
  for (const int v : t) {
    if (v != edge.a && v != edge.b) third = v;
  }
  const Vec3 along = normalized(points_[to_size(edge.b)] - points_[to_size(edge.a)]);
  const Vec3 to = points_[to_size(third)] - points_[to_size(edge.a)];
  return normalized(to - dot(to, along) * along);
}

void TriangleMesh::classify() {
  vertex_active_.assign(points_.size(), 0);
  for (Edge& edge : edges_) {
    edge.active = true;
    if (edge.faces == 2) {
      const Vec3& n = normals_[to_size(edge_faces_[to_size(edge.first_face)])];
      const Vec3& m = normals_[to_size(edge_faces_[to_size(edge.first_face + 1)])];
      // The second face falls away from the first where the edge is convex.
      const double rise = dot(n, into_face(edge, 1));
      const bool agree = dot(n, m) > -0.5 || rise < 0.0;
      edge.active = options_.two_sided && agree ? std::abs(rise) > kFlat : rise < -kFlat;
      const bool convex = rise < 0.0 && dot(m, into_face(edge, 0)) < 0.0;
      if (!options_.two_sided && convex) edge.normals = normal_arc(n, m);
    }
    if (!edge.active) continue;
    vertex_active_[to_size(edge.a)] = vertex_active_[to_size(edge.b)] = 1;
  }
  for (const std::array<int, 3>& edges : triangle_edges_) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits |= static_cast<unsigned>(edges_[to_size(edges[k])].active) << k;
    }
    active_edges_.push_back(static_cast<std::uint8_t>(bits));
  }
}

bool TriangleMesh::check_closed() const {
  std::map<std::pair<int, int>, int> directed;
  for (const auto& t : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
  }
  return std::all_of(directed.begin(), directed.end(), [&](const auto& entry) {
    const auto opposite = directed.find({entry.first.second, entry.first.first});
    return entry.second == 1 && opposite != directed.end() && opposite->second == 1;
  });
}

int TriangleMesh::build(int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  Node node{boxes_[to_size(order_[to_size(begin)])], begin, end, -1};
  for (int k = begin + 1; k < end; ++k) grow(node.box, boxes_[to_size(order_[to_size(k)])]);
  nodes_.push_back(node);
  if (end - begin <= kLeaf) return index;
  const int axis = longest_axis(node.box);
  const int middle = (begin + end) / 2;
  const auto place = [&](int t) {
    const Aabb& box = boxes_[to_size(t)];
    return box.lower[axis] + box.upper[axis];
  };
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int s, int t) {
                     const double x = place(s);
                     const double y = place(t);
                     return x != y ? x < y : s < t;
                   });
  build(begin, middle);
  nodes_[to_size(index)].right = build(middle, end);
  return index;
}

void TriangleMesh::find(const Aabb& box, std::vector<int>& out) const {
  out.clear();
  for_each_in({box, {}, 0.0}, [&](int t) { out.push_back(t); });
  std::sort(out.begin(), out.end());
}

Aabb TriangleMesh::bounds(const Pose& pose) const {
  return moved_box(box_, pose);
}

SurfaceMesh TriangleMesh::surface() const {
  SurfaceMesh mesh;
  mesh.points = points_;
  for (const auto& t : triangles_) {
    mesh.polygons.push_back({t[0], t[1], t[2]});
    if (options_.two_sided) mesh.polygons.push_back({t[0], t[2], t[1]});
  }
  return mesh;
}

namespace {

/// Calls take(a, b, c, v) for the tetrahedra of volume v between the origin and the triangles.
template <class Take>
void for_tetrahedra(const TriangleMesh& mesh, const Take& take) {
  for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t) {
    const auto [a, b, c] = mesh.corners(t);
    take(a, b, c, dot(a, cross(b, c)) / 6.0);
  }
}

double enclosed_volume(const TriangleMesh& mesh) {
  NSN_THROW_UNLESS(mesh.closed(), "mesh: not closed, it has no inside");
  double volume = 0.0;
  for_tetrahedra(mesh, [&](const Vec3&, const Vec3&, const Vec3&, double v) { volume += v; });
  NSN_THROW_UNLESS(volume > 0.0, "mesh: encloses volume {}: the triangles face inwards", volume);
  return volume;
}

}  // namespace

Solid TriangleMesh::solid() const {
  return solid_properties(*this, enclosed_volume(*this));
}

Solid solid_properties(const TriangleMesh& mesh, double mass) {
  Solid solid;
  solid.volume = enclosed_volume(mesh);
  // Second moments of a tetrahedron with one corner in the origin: v/20 (sum x x^T + s s^T),
  // s = sum x.
  Mat3 second;
  for_tetrahedra(mesh, [&](const Vec3& a, const Vec3& b, const Vec3& c, double v) {
    const Vec3 s = a + b + c;
    solid.centre += (0.25 * v) * s;
    second += (v / 20.0) * (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s));
  });
  solid.centre = (1.0 / solid.volume) * solid.centre;
  second = (mass / solid.volume) * second - mass * outer(solid.centre, solid.centre);
  solid.inertia = trace(second) * identity<3>() - second;
  return solid;
}

}  // namespace nsn
