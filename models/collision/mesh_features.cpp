#include "models/collision/mesh_features.h"

#include <array>

#include "models/collision/number_set.h"

namespace nsn {
namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

/// Buffers of a thread, so that detection does not allocate; their contents do not outlive a call.
struct Buffers {
  NumberSet seen;
  std::vector<unsigned> beyond;  // bounds of the region, by number of a corner
  std::vector<Vec3> placed;      // by number of a corner
};
Buffers& buffers() {
  thread_local Buffers own;
  return own;
}

template <class T>
void fit(std::vector<T>& list, std::size_t count) {
  if (list.size() < count) list.resize(count);
}

void add_face(const TriangleMesh& mesh, int t, const Mat3& R, FeatureSet& set) {
  const std::vector<Vec3>& placed = buffers().placed;
  FeatureSet::Face& face = set.faces.add();
  const Vec3 normal = R * mesh.normals()[at(t)];
  face.normal = normal;
  face.number = t;
  face.first = static_cast<int>(set.corners.size());
  face.count = 3;
  for (const int v : mesh.triangles()[at(t)]) set.corners.add().x = placed[at(v)];
  face.offset = dot(normal, placed[at(mesh.triangles()[at(t)][0])]);
}

void add_vertex(const TriangleMesh& mesh, int v, FeatureSet& set) {
  FeatureSet::Vertex& out = set.vertices.add();
  out.x = buffers().placed[at(v)];
  out.number = v;
  out.first = mesh.first_edge(v);
  out.count = static_cast<int>(mesh.vertex_edges(v).size());
}

void add_edge(const TriangleMesh& mesh, int e, const Mat3& R, FeatureSet& set) {
  const TriangleMesh::Edge& edge = mesh.edges()[at(e)];
  FeatureSet::Edge& out = set.edges.add();
  out.a = buffers().placed[at(edge.a)];
  out.along = R * (mesh.points()[at(edge.b)] - mesh.points()[at(edge.a)]);
  out.number = edge_number(edge.a, edge.b);
  out.first = edge.first_face;
  out.count = edge.faces;
  out.outward = edge.outward;
  out.normals = R * edge.normals;
}

}  // namespace

void MeshPart::clear() {
  triangles.clear();
  corners.clear();
  vertices.clear();
  edges.clear();
}

void MeshPart::list(const TriangleMesh& mesh, std::span<const int> given, const Region& region) {
  Buffers& own = buffers();
  clear();
  triangles.assign(given.begin(), given.end());
  own.seen.fit(mesh.points().size());
  for (const int t : triangles) {
    for (const int v : mesh.triangles()[at(t)]) own.seen.insert(v);
  }
  own.seen.move_to(corners);
  fit(own.beyond, mesh.points().size());
  for (const int v : corners) {
    own.beyond[at(v)] = beyond(region, mesh.points()[at(v)]);
    if (own.beyond[at(v)] == 0 && mesh.vertex_active(v)) vertices.push_back(v);
  }
  own.seen.fit(mesh.edges().size());
  for (const int t : triangles) {
    const std::array<int, 3>& corner = mesh.triangles()[at(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      const unsigned outside =
          own.beyond[at(corner[k])] & own.beyond[at(corner[k < 2 ? k + 1 : 0])];
      const unsigned wanted = static_cast<unsigned>(outside == 0) & mesh.edge_active(t, k);
      own.seen.insert(mesh.triangle_edges(t)[k], wanted);
    }
  }
  own.seen.move_to(edges);
}

void place_features(const TriangleMesh& mesh, const Pose& pose, const MeshPart& part,
                    FeatureSet& set) {
  set.clear();
  set.axes = pose.R;
  set.vertex_directions = mesh.vertex_directions();
  set.edge_directions = mesh.into_faces();
  set.two_sided = mesh.two_sided();
  set.numbers_faces = true;
  set.depth = mesh.two_sided() ? 0.0 : mesh.depth();
  set.size = mesh.longest_side();
  std::vector<Vec3>& placed = buffers().placed;
  fit(placed, mesh.points().size());
  for (const int v : part.corners) placed[at(v)] = pose.apply(mesh.points()[at(v)]);
  for (const int t : part.triangles) add_face(mesh, t, pose.R, set);
  for (const int v : part.vertices) add_vertex(mesh, v, set);
  for (const int e : part.edges) add_edge(mesh, e, pose.R, set);
  set.finish();
}

}  // namespace nsn
