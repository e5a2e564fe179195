#include "nsn/models/collision/mesh_features.h"

#include <array>

#include "nsn/core/base/types.h"
#include "nsn/models/collision/face_sides.h"
#include "nsn/models/collision/number_set.h"

namespace nsn {
namespace {

/// Buffers of a thread, so that detection does not allocate; their contents do not outlive a call.
struct Buffers {
  NumberSet seen;
  std::vector<unsigned> beyond;  // bounds of the region, by number of a corner
  std::vector<Four> placed;      // by number of a corner
};
Buffers& buffers() {
  thread_local Buffers own;
  return own;
}

template <class T>
void fit(std::vector<T>& list, std::size_t count) {
  if (list.size() < count) list.resize(count);
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
    for (const int v : mesh.triangles()[to_size(t)]) own.seen.insert(v);
  }
  own.seen.move_to(corners);
  fit(own.beyond, mesh.points().size());
  for (const int v : corners) {
    own.beyond[to_size(v)] = beyond(region, mesh.points()[to_size(v)]);
    if (own.beyond[to_size(v)] == 0 && mesh.vertex_active(v)) vertices.push_back(v);
  }
  own.seen.fit(mesh.edges().size());
  for (const int t : triangles) {
    const std::array<int, 3>& corner = mesh.triangles()[to_size(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      const unsigned outside =
          own.beyond[to_size(corner[k])] & own.beyond[to_size(corner[k < 2 ? k + 1 : 0])];
      const unsigned wanted = static_cast<unsigned>(outside == 0) & mesh.edge_active(t, k);
      own.seen.insert(mesh.triangle_edges(t)[k], wanted);
    }
  }
  own.seen.move_to(edges);
}

NSN_VERSIONS void place_features(const TriangleMesh& mesh, const Pose& pose, const MeshPart& part,
                                 FeatureSet& set) {
  set.clear();
  set.axes = pose.R;
  set.vertex_directions = mesh.vertex_directions();
  set.edge_directions = mesh.into_faces();
  set.two_sided = mesh.two_sided();
  set.numbers_faces = true;
  set.depth = mesh.two_sided() ? 0.0 : mesh.depth();
  set.size = mesh.longest_side();
  set.body_middle = pose.apply(centre(mesh.box()));
  std::vector<Four>& all = buffers().placed;
  fit(all, mesh.points().size());
  Four* const placed = all.data();
  const Vec3* const points = mesh.points().data();
  const LanePose place(pose);
  for (const int v : part.corners) store_four(place.apply(points[v]), placed[v]);
  for (const int t : part.triangles) {
    const std::array<int, 3>& corners = mesh.triangles()[to_size(t)];
    const Vec3 normal = first_three(place.turn(mesh.normals()[to_size(t)]));
    const std::array<const double*, 3> corner{placed[corners[0]].data(), placed[corners[1]].data(),
                                              placed[corners[2]].data()};
    const double offset =
        normal[0] * corner[0][0] + normal[1] * corner[0][1] + normal[2] * corner[0][2];
    add_face(
        normal, offset, t, 3, [&](int k) -> const auto& { return corner[to_size(k)]; }, set);
  }
  for (const int v : part.vertices) {
    FeatureSet::Vertex& out = set.vertices.add();
    out.x = load3(placed[v].data());
    out.number = v;
    out.first = mesh.first_edge(v);
    out.count = static_cast<int>(mesh.vertex_edges(v).size());
  }
  for (const int e : part.edges) {
    const TriangleMesh::Edge& edge = mesh.edges()[to_size(e)];
    FeatureSet::Edge& out = set.edges.add();
    out.a = load3(placed[edge.a].data());
    out.along = first_three(place.turn(points[edge.b] - points[edge.a]));
    out.number = edge_number(edge.a, edge.b);
    out.first = edge.first_face;
    out.count = edge.faces;
    out.outward = edge.outward;
    out.normals.middle = first_three(place.turn(edge.normals.middle));
    out.normals.cosine = edge.normals.cosine;
    out.normals.sine = edge.normals.sine;
  }
}

}  // namespace nsn
