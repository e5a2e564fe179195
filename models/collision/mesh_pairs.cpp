#include "models/collision/mesh_pairs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/collision/convex_shape.h"
#include "models/collision/cylinder.h"
#include "models/collision/cylinder_pairs.h"
#include "models/collision/feature_contacts.h"
#include "models/collision/feature_distance.h"
#include "models/collision/triangle_mesh.h"

namespace nsn {
namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

/// A shape's place about a common origin.
Pose about(const Pose& pose, const Vec3& origin) {
  return {pose.x - origin, pose.R};
}

/// A box around a shape given in world axes, in the axes of another pose.
Aabb in_axes(const Aabb& box, const Pose& pose, double margin) {
  const Vec3 middle = pose.inverse_apply(0.5 * (box.lower + box.upper));
  const Vec3 half = 0.5 * (box.upper - box.lower);
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    reach[i] = margin + std::abs(pose.R(0, i)) * half[0] + std::abs(pose.R(1, i)) * half[1] +
               std::abs(pose.R(2, i)) * half[2];
  }
  return {middle - reach, middle + reach};
}

void sort_unique(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool contains(const Aabb& box, const Vec3& p) {
  return overlap(box, {p, p});
}
Aabb box_of(const Vec3& p, const Vec3& q) {
  Aabb box{p, p};
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = std::min(p[k], q[k]);
    box.upper[k] = std::max(p[k], q[k]);
  }
  return box;
}

/// Those vertices inside the box (mesh axes), with the directions of all edges that end there.
void add_vertices(const TriangleMesh& mesh, const Pose& pose, const std::vector<int>& vertices,
                  const Aabb& box, FeatureSet& out) {
  for (const int v : vertices) {
    const Vec3& p = mesh.points()[at(v)];
    if (!contains(box, p)) continue;
    FeatureSet::Vertex vertex{pose.apply(p), v, static_cast<int>(out.directions.size()), 0};
    for (const int e : mesh.vertex_edges(v)) {
      const TriangleMesh::Edge& edge = mesh.edges()[at(e)];
      const Vec3 along = mesh.points()[at(edge.a == v ? edge.b : edge.a)] - p;
      out.directions.push_back(pose.R * normalized(along));
      ++vertex.count;
    }
    out.vertices.push_back(vertex);
  }
}

/// Those edges that come near the box (mesh axes), with the directions into all their faces.
void add_edges(const TriangleMesh& mesh, const Pose& pose, const std::vector<int>& edges,
               const Aabb& box, FeatureSet& out) {
  for (const int e : edges) {
    const TriangleMesh::Edge& edge = mesh.edges()[at(e)];
    if (!edge.active) continue;
    const Vec3& p = mesh.points()[at(edge.a)];
    const Vec3& q = mesh.points()[at(edge.b)];
    if (!overlap(box, box_of(p, q))) continue;
    FeatureSet::Edge feature;
    feature.a = pose.apply(p);
    feature.along = pose.R * (q - p);
    feature.number = edge_number(edge.a, edge.b);
    feature.first = static_cast<int>(out.directions.size());
    feature.count = edge.faces;
    for (int k = 0; k < edge.faces; ++k) {
      out.directions.push_back(pose.R * mesh.into_face(edge, k));
      feature.outward += pose.R * mesh.normals()[at(mesh.edge_faces()[at(edge.first_face + k)])];
    }
    out.edges.push_back(feature);
  }
}

/// What of the mesh lies near a box in world axes.
FeatureSet features_near(const TriangleMesh& mesh, const Pose& world, const Vec3& origin,
                         const Aabb& box, double margin) {
  FeatureSet set;
  std::vector<int> triangles;
  const Aabb near = in_axes(box, world, margin);
  mesh.find(near, triangles);
  const Pose pose = about(world, origin);
  std::vector<int> vertices;
  std::vector<int> edges;
  set.two_sided = mesh.two_sided();
  set.numbers_faces = true;
  set.depth = mesh.two_sided() ? 0.0 : mesh.depth();
  for (const int t : triangles) {
    const Vec3 n = pose.R * mesh.normals()[at(t)];
    FeatureSet::Face face{n, 0.0, t, static_cast<int>(set.corners.size()), 3};
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = mesh.triangles()[at(t)][k];
      set.corners.push_back(pose.apply(mesh.points()[at(v)]));
      if (mesh.vertex_active(v)) vertices.push_back(v);
      edges.push_back(mesh.triangle_edges(t)[k]);
      set.size = std::max(set.size, norm(set.corners.back() - set.corners[at(face.first)]));
    }
    face.offset = dot(n, set.corners[at(face.first)]);
    set.faces.push_back(face);
  }
  sort_unique(vertices);
  sort_unique(edges);
  add_vertices(mesh, pose, vertices, near, set);
  add_edges(mesh, pose, edges, near, set);
  return set;
}

FeatureSet features_of(const ConvexShape& shape, const Pose& world, const Vec3& origin) {
  const Pose pose = about(world, origin);
  const Polytope& core = shape.core();
  FeatureSet set;
  set.radius = shape.radius();
  set.size = core.size;
  set.two_sided = core.num_faces() == 0;
  set.convex = true;
  set.depth = core.size;
  for (int f = 0; f < core.num_faces(); ++f) {
    const Polytope::Face& face = core.face(f);
    const Vec3 n = pose.R * face.normal;
    set.faces.push_back({n, face.offset + dot(n, pose.x), f, static_cast<int>(set.corners.size()),
                         face.end - face.begin});
    for (int k = face.begin; k < face.end; ++k) {
      set.corners.push_back(pose.apply(core.vertex(core.loop[at(k)])));
    }
  }
  for (int v = 0; v < core.num_vertices(); ++v) {
    FeatureSet::Vertex vertex{pose.apply(core.vertex(v)), v,
                              static_cast<int>(set.directions.size()), 0};
    for (const Polytope::Edge& edge : core.edges) {
      if (edge.a != v && edge.b != v) continue;
      const Vec3 along = core.vertex(edge.a == v ? edge.b : edge.a) - core.vertex(v);
      if (norm(along) == 0.0) continue;
      set.directions.push_back(pose.R * normalized(along));
      ++vertex.count;
    }
    set.vertices.push_back(vertex);
  }
  for (const Polytope::Edge& edge : core.edges) {
    FeatureSet::Edge feature;
    feature.a = pose.apply(core.vertex(edge.a));
    feature.along = pose.apply(core.vertex(edge.b)) - feature.a;
    feature.number = edge_number(edge.a, edge.b);
    feature.first = static_cast<int>(set.directions.size());
    if (edge.left >= 0) {
      const Vec3 left = pose.R * core.face(edge.left).normal;
      const Vec3 right = pose.R * core.face(edge.right).normal;
      set.directions.push_back(normalized(cross(left, feature.along)));
      set.directions.push_back(normalized(cross(feature.along, right)));
      feature.count = 2;
      feature.outward = left + right;
    }
    set.edges.push_back(feature);
  }
  return set;
}

void shift(Manifold& out, std::size_t begin, const Vec3& origin) {
  for (std::size_t k = begin; k < out.size(); ++k) {
    out[k].on_a += origin;
    out[k].on_b += origin;
  }
}

}  // namespace

void collide_mesh_plane(const Shape& mesh, const Pose& pose_a, const Shape&, const Pose& pose_b,
                        double margin, Manifold& out) {
  const auto& shape = static_cast<const TriangleMesh&>(mesh);
  const Vec3 n = column(pose_b.R, 2);
  for (int v = 0; v < static_cast<int>(shape.points().size()); ++v) {
    if (!shape.vertex_active(v)) continue;
    const Vec3 p = pose_a.apply(shape.points()[at(v)]);
    const double height = dot(n, p - pose_b.x);
    if (height > margin) continue;
    const auto feature = feature_id(FeatureKind::kVertexOfA, static_cast<std::uint64_t>(v), 0);
    out.push_back({p, p - height * n, n, feature, 0.0, 0.0});
  }
}

void collide_convex_mesh(const Shape& convex, const Pose& pose_a, const Shape& mesh,
                         const Pose& pose_b, double margin, Manifold& out) {
  const auto& shape = static_cast<const ConvexShape&>(convex);
  const Vec3 origin = pose_a.x;
  const FeatureSet B = features_near(static_cast<const TriangleMesh&>(mesh), pose_b, origin,
                                     shape.bounds(pose_a), margin);
  if (B.faces.empty()) return;
  const std::size_t before = out.size();
  add_feature_contacts(features_of(shape, pose_a, origin), B, margin, out);
  shift(out, before, origin);
}

void collide_mesh_mesh(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                       double margin, Manifold& out) {
  const auto& mesh_a = static_cast<const TriangleMesh&>(a);
  const auto& mesh_b = static_cast<const TriangleMesh&>(b);
  const Vec3 origin = 0.5 * (pose_a.x + pose_b.x);
  const FeatureSet A = features_near(mesh_a, pose_a, origin, mesh_b.bounds(pose_b), margin);
  if (A.faces.empty()) return;
  const FeatureSet B = features_near(mesh_b, pose_b, origin, mesh_a.bounds(pose_a), margin);
  if (B.faces.empty()) return;
  const std::size_t before = out.size();
  add_feature_contacts(A, B, margin, out);
  shift(out, before, origin);
}

void collide_cylinder_mesh(const Shape& cylinder, const Pose& pose_a, const Shape& mesh,
                           const Pose& pose_b, double margin, Manifold& out) {
  const auto& shape = static_cast<const TriangleMesh&>(mesh);
  std::vector<int> triangles;
  shape.find(in_axes(cylinder.bounds(pose_a), pose_b, margin), triangles);
  for (const int t : triangles) {
    collide_cylinder_triangle(static_cast<const Cylinder&>(cylinder), pose_a, shape, t, pose_b,
                              margin, out);
  }
}

}  // namespace nsn
