#include "nsn/models/collision/polytope.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

double diagonal_of(const std::vector<Vec3>& points) {
  Vec3 low = points.front();
  Vec3 high = points.front();
  for (const Vec3& p : points) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  return norm(high - low);
}

/// Twice the area times the unit normal (Newell), about the first corner.
Vec3 polygon_area(const std::vector<Vec3>& points, const std::vector<int>& polygon) {
  Vec3 area;
  const Vec3& origin = points[to_size(polygon[0])];
  for (std::size_t k = 2; k < polygon.size(); ++k) {
    area += cross(points[to_size(polygon[k - 1])] - origin, points[to_size(polygon[k])] - origin);
  }
  return area;
}

void check_polygons(const SurfaceMesh& mesh, std::string_view name) {
  const int count = static_cast<int>(mesh.points.size());
  NSN_THROW_UNLESS(count >= 4, "{}: {} points, four are needed", name, count);
  for (int k = 0; k < count; ++k) {
    NSN_THROW_UNLESS(all_finite(mesh.points[to_size(k)]), "{}: point {} is not finite", name, k);
  }
  for (std::size_t f = 0; f < mesh.polygons.size(); ++f) {
    NSN_THROW_UNLESS(mesh.polygons[f].size() >= 3, "{}: face {} has {} corners", name, f,
                     mesh.polygons[f].size());
    for (const int k : mesh.polygons[f]) {
      NSN_THROW_UNLESS(k >= 0 && k < count, "{}: face {} names point {} of {}", name, f, k, count);
    }
  }
}

void add_face(Polytope& polytope, const std::vector<int>& polygon, int f, std::string_view name) {
  const Vec3 area = polygon_area(polytope.vertices, polygon);
  NSN_THROW_UNLESS(norm(area) > 1e-14 * polytope.size * polytope.size, "{}: face {} has no area",
                   name, f);
  Polytope::Face face;
  face.normal = normalized(area);
  face.begin = static_cast<int>(polytope.loop.size());
  face.offset = -1e300;
  for (const int k : polygon) {
    face.offset = std::max(face.offset, dot(face.normal, polytope.vertex(k)));
    polytope.loop.push_back(k);
  }
  face.end = static_cast<int>(polytope.loop.size());
  polytope.faces.push_back(face);
}

using EdgeMap = std::map<std::pair<int, int>, int>;

int add_edge(Polytope& polytope, EdgeMap& known, int i, int j, int f, std::string_view name) {
  const auto [found, is_new] =
      known.try_emplace({std::min(i, j), std::max(i, j)}, polytope.num_edges());
  if (is_new) {
    polytope.edges.push_back({i, j, f, -1});
    return found->second;
  }
  Polytope::Edge& edge = polytope.edges[to_size(found->second)];
  NSN_THROW_UNLESS(edge.right < 0 && edge.a == j && edge.b == i,
                   "{}: edge ({}, {}) of face {} does not lie between two faces", name, i, j, f);
  edge.right = f;
  return found->second;
}

void add_edges(Polytope& polytope, std::string_view name) {
  EdgeMap known;
  for (int f = 0; f < polytope.num_faces(); ++f) {
    const Polytope::Face& face = polytope.face(f);
    for (int k = face.begin; k < face.end; ++k) {
      const int next = k + 1 < face.end ? k + 1 : face.begin;
      polytope.loop_edge.push_back(add_edge(polytope, known, polytope.loop[to_size(k)],
                                            polytope.loop[to_size(next)], f, name));
    }
  }
  for (const Polytope::Edge& edge : polytope.edges) {
    NSN_THROW_UNLESS(edge.right >= 0, "{}: edge ({}, {}) belongs to one face only", name, edge.a,
                     edge.b);
  }
}

void check_convex(const Polytope& polytope, std::string_view name) {
  double depth = 0.0;
  for (int f = 0; f < polytope.num_faces(); ++f) {
    const Polytope::Face& face = polytope.face(f);
    for (int k = 0; k < polytope.num_vertices(); ++k) {
      const double above = dot(face.normal, polytope.vertex(k)) - face.offset;
      NSN_THROW_UNLESS(above <= 1e-9 * polytope.size, "{}: not convex: point {} above face {}",
                       name, k, f);
      depth = std::max(depth, -above);
    }
  }
  NSN_THROW_UNLESS(depth > 1e-12 * polytope.size, "{}: flat", name);
}

}  // namespace

int Polytope::support(const Vec3& d) const {
  int best = 0;
  double furthest = dot(vertices[0], d);
  for (int k = 1; k < num_vertices(); ++k) {
    const double along = dot(vertex(k), d);
    if (along > furthest) {
      furthest = along;
      best = k;
    }
  }
  return best;
}

Polytope point_polytope() {
  Polytope polytope;
  polytope.vertices.resize(1);
  return polytope;
}

Polytope segment_polytope(double length) {
  Polytope polytope;
  polytope.vertices = {{0, 0, -0.5 * length}, {0, 0, 0.5 * length}};
  polytope.edges = {{0, 1, -1, -1}};
  polytope.size = length;
  return polytope;
}

void set_triangle(const Vec3& a, const Vec3& b, const Vec3& c, Polytope& out) {
  out.vertices.assign({a, b, c});
  out.edges.assign({{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}});
  out.loop.assign({0, 1, 2, 0, 2, 1});
  out.loop_edge.assign({0, 1, 2, 2, 1, 0});
  out.size = diagonal_of(out.vertices);
  out.faces.resize(2);
  const Vec3 n = normalized(cross(b - a, c - a));
  out.faces[0] = {n, dot(n, a), 0, 3};
  out.faces[1] = {-n, -dot(n, a), 3, 6};
}

Polytope polytope_from_faces(const SurfaceMesh& mesh, std::string_view name) {
  check_polygons(mesh, name);
  Polytope polytope;
  polytope.vertices = mesh.points;
  polytope.size = diagonal_of(mesh.points);
  for (std::size_t f = 0; f < mesh.polygons.size(); ++f) {
    add_face(polytope, mesh.polygons[f], static_cast<int>(f), name);
  }
  add_edges(polytope, name);
  check_convex(polytope, name);
  return polytope;
}

}  // namespace nsn
