#include "nsn/models/deformable/tet_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/types.h"

namespace nsn {
namespace {

// Faces of a positive tetrahedron, each counter-clockwise from outside.
constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

double longest_edge(const TetMesh& mesh, const std::array<Index, 4>& tet) {
  double longest = 0.0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      longest = std::max(longest, norm(mesh.node[to_size(tet[a])] - mesh.node[to_size(tet[b])]));
    }
  }
  return longest;
}

std::string defect_of_indices(const TetMesh& mesh, Index t) {
  const auto& tet = mesh.tet[to_size(t)];
  for (std::size_t a = 0; a < 4; ++a) {
    if (tet[a] < 0 || tet[a] >= mesh.num_nodes()) {
      return fmt::format("tetrahedron {}: node {} is not one of {}", t, tet[a], mesh.num_nodes());
    }
    if (std::find(tet.begin(), tet.begin() + a, tet[a]) != tet.begin() + a) {
      return fmt::format("tetrahedron {}: node {} occurs twice", t, tet[a]);
    }
  }
  return "";
}

std::string defect_of_shape(const TetMesh& mesh, Index t) {
  const auto& tet = mesh.tet[to_size(t)];
  const double V = signed_volume(mesh, t);
  const double edge = longest_edge(mesh, tet);
  if (std::fabs(V) <= 1e-12 * edge * edge * edge) {
    return fmt::format("tetrahedron {} (nodes {} {} {} {}) has no volume: {} m^3 at edges of {} m",
                       t, tet[0], tet[1], tet[2], tet[3], V, edge);
  }
  if (V < 0.0) {
    return fmt::format("tetrahedron {} (nodes {} {} {} {}) is inverted: its volume is {} m^3", t,
                       tet[0], tet[1], tet[2], tet[3], V);
  }
  return "";
}

std::vector<bool> used_nodes(const TetMesh& mesh) {
  std::vector<bool> used(mesh.node.size(), false);
  for (const auto& tet : mesh.tet) {
    for (const Index n : tet) used[to_size(n)] = true;
  }
  return used;
}

// Faces sorted by their nodes, so that the copies of one face are neighbours.
struct Face {
  std::array<Index, 3> key;
  std::array<Index, 3> oriented;
};

std::vector<Face> all_faces(const TetMesh& mesh) {
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tet.size());
  for (const auto& tet : mesh.tet) {
    for (const auto& f : kFaces) {
      Face face;
      for (std::size_t k = 0; k < 3; ++k) face.oriented[k] = tet[static_cast<std::size_t>(f[k])];
      face.key = face.oriented;
      std::sort(face.key.begin(), face.key.end());
      faces.push_back(face);
    }
  }
  // The second key keeps the order independent of the sort's implementation.
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return std::tie(a.key, a.oriented) < std::tie(b.key, b.oriented);
  });
  return faces;
}

// Faces of exactly one tetrahedron; counts those of three and more.
std::vector<std::array<Index, 3>> boundary_faces(const TetMesh& mesh, Index& shared_faces) {
  const std::vector<Face> faces = all_faces(mesh);
  std::vector<std::array<Index, 3>> boundary;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t j = i + 1;
    while (j < faces.size() && faces[j].key == faces[i].key) ++j;
    if (j - i == 1) boundary.push_back(faces[i].oriented);
    if (j - i > 2) ++shared_faces;
    i = j;
  }
  return boundary;
}

std::uint64_t edge_key(Index a, Index b) {
  return (static_cast<std::uint64_t>(std::min(a, b)) << 32U) |
         static_cast<std::uint32_t>(std::max(a, b));
}

Index count_bad_edges(const TriangleSurface& surface) {
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * surface.triangle.size());
  for (const auto& t : surface.triangle) {
    for (std::size_t k = 0; k < 3; ++k) edges.push_back(edge_key(t[k], t[(k + 1) % 3]));
  }
  std::sort(edges.begin(), edges.end());
  Index bad = 0;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i + 1;
    while (j < edges.size() && edges[j] == edges[i]) ++j;
    if (j - i != 2) ++bad;
    i = j;
  }
  return bad;
}

// Triangles around a vertex are one fan if the edges opposite to it form one connected chain.
bool is_one_fan(const std::vector<std::array<Index, 2>>& opposite) {
  std::map<Index, Index> parent;
  const auto root = [&](Index v) {
    while (parent.at(v) != v) v = parent.at(v);
    return v;
  };
  for (const auto& [a, b] : opposite) {
    parent.emplace(a, a);
    parent.emplace(b, b);
    parent[root(a)] = root(b);
  }
  return std::all_of(parent.begin(), parent.end(), [&](const auto& entry) {
    return root(entry.first) == root(parent.begin()->first);
  });
}

Index count_bad_vertices(const TriangleSurface& surface) {
  std::vector<std::vector<std::array<Index, 2>>> opposite(surface.vertex.size());
  for (const auto& t : surface.triangle) {
    for (std::size_t k = 0; k < 3; ++k) {
      opposite[to_size(t[k])].push_back({t[(k + 1) % 3], t[(k + 2) % 3]});
    }
  }
  return static_cast<Index>(std::count_if(opposite.begin(), opposite.end(), [](const auto& edges) {
    return !edges.empty() && !is_one_fan(edges);
  }));
}

}  // namespace

double signed_volume(const TetMesh& mesh, Index t) {
  const auto& [a, b, c, d] = mesh.tet[to_size(t)];
  const Vec3 x0 = mesh.node[to_size(a)];
  return determinant(columns(mesh.node[to_size(b)] - x0, mesh.node[to_size(c)] - x0,
                             mesh.node[to_size(d)] - x0)) /
         6.0;
}

double volume(const TetMesh& mesh) {
  double sum = 0.0;
  for (Index t = 0; t < mesh.num_tets(); ++t) sum += signed_volume(mesh, t);
  return sum;
}

double enclosed_volume(const TriangleSurface& surface) {
  double sum = 0.0;
  for (const auto& t : surface.triangle) {
    sum += dot(surface.vertex[to_size(t[0])],
               cross(surface.vertex[to_size(t[1])], surface.vertex[to_size(t[2])])) /
           6.0;
  }
  return sum;
}

double area(const TriangleSurface& surface) {
  double sum = 0.0;
  for (const auto& t : surface.triangle) {
    const Vec3 x0 = surface.vertex[to_size(t[0])];
    sum +=
        0.5 * norm(cross(surface.vertex[to_size(t[1])] - x0, surface.vertex[to_size(t[2])] - x0));
  }
  return sum;
}

std::string find_defect(const TetMesh& mesh) {
  if (mesh.tet.empty()) return "the mesh has no tetrahedra";
  if (!mesh.region.empty() && mesh.region.size() != mesh.tet.size()) {
    return fmt::format("{} labels for {} tetrahedra", mesh.region.size(), mesh.tet.size());
  }
  for (Index n = 0; n < mesh.num_nodes(); ++n) {
    if (!all_finite(mesh.node[to_size(n)])) return fmt::format("node {} has no finite position", n);
  }
  for (Index t = 0; t < mesh.num_tets(); ++t) {
    if (std::string defect = defect_of_indices(mesh, t); !defect.empty()) return defect;
    if (std::string defect = defect_of_shape(mesh, t); !defect.empty()) return defect;
  }
  const std::vector<bool> used = used_nodes(mesh);
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return "";
  return fmt::format("node {} belongs to no tetrahedron ({} such nodes)", unused - used.begin(),
                     std::count(used.begin(), used.end(), false));
}

void check_mesh(const TetMesh& mesh) {
  const std::string defect = find_defect(mesh);
  NSN_THROW_UNLESS(defect.empty(), "{}", defect);
}

Index remove_unused_nodes(TetMesh& mesh) {
  const std::vector<bool> used = used_nodes(mesh);
  std::vector<Index> renumbered(mesh.node.size(), 0);
  Index kept = 0;
  for (std::size_t n = 0; n < used.size(); ++n) {
    if (!used[n]) continue;
    mesh.node[to_size(kept)] = mesh.node[n];
    renumbered[n] = kept++;
  }
  const Index removed = mesh.num_nodes() - kept;
  mesh.node.resize(to_size(kept));
  for (auto& tet : mesh.tet) {
    for (Index& n : tet) n = renumbered[to_size(n)];
  }
  return removed;
}

Index orient_tets(TetMesh& mesh) {
  Index swapped = 0;
  for (Index t = 0; t < mesh.num_tets(); ++t) {
    if (signed_volume(mesh, t) >= 0.0) continue;
    std::swap(mesh.tet[to_size(t)][2], mesh.tet[to_size(t)][3]);
    ++swapped;
  }
  return swapped;
}

SurfaceReport extract_surface(const TetMesh& mesh) {
  Index shared_faces = 0;
  const std::vector<std::array<Index, 3>> faces = boundary_faces(mesh, shared_faces);
  TriangleSurface surface;
  std::vector<Index> vertex_of(mesh.node.size(), -1);
  for (const auto& face : faces) {
    for (const Index n : face) vertex_of[to_size(n)] = 0;
  }
  for (Index n = 0; n < mesh.num_nodes(); ++n) {
    if (vertex_of[to_size(n)] < 0) continue;
    vertex_of[to_size(n)] = surface.num_vertices();
    surface.vertex.push_back(mesh.node[to_size(n)]);
    surface.node.push_back(n);
  }
  for (const auto& face : faces) {
    surface.triangle.push_back(
        {vertex_of[to_size(face[0])], vertex_of[to_size(face[1])], vertex_of[to_size(face[2])]});
  }
  SurfaceReport report = inspect_surface(std::move(surface));
  report.shared_faces = shared_faces;
  if (shared_faces > 0) {
    report.note += fmt::format("{}{} faces belong to three or more tetrahedra",
                               report.note.empty() ? "" : "; ", shared_faces);
  }
  return report;
}

SurfaceReport inspect_surface(TriangleSurface surface) {
  SurfaceReport report;
  report.surface = std::move(surface);
  report.non_manifold_edges = count_bad_edges(report.surface);
  report.non_manifold_vertices = count_bad_vertices(report.surface);
  if (report.non_manifold_edges > 0 || report.non_manifold_vertices > 0) {
    report.note = fmt::format(
        "the surface is not a closed manifold: {} edges do not have two "
        "triangles, {} vertices join separate fans",
        report.non_manifold_edges, report.non_manifold_vertices);
  }
  return report;
}

}  // namespace nsn
