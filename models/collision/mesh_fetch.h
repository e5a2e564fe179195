/// Starts to load what will be read of a mesh: the meshes of a pile are more than the caches hold,
/// and what is read of one lies scattered. Changes nothing else.
#pragma once

#include "core/lanes.h"
#include "models/collision/mesh_features.h"
#include "models/collision/triangle_mesh.h"

namespace nsn {

/// The line of the cache that p is in.
NSN_INLINE void fetch([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#endif
}

/// What place_features reads.
NSN_INLINE void fetch(const TriangleMesh& mesh, const MeshPart& part) {
  for (const int t : part.triangles) {
    fetch(&mesh.triangles()[static_cast<std::size_t>(t)]);
    fetch(&mesh.normals()[static_cast<std::size_t>(t)]);
  }
  for (const int e : part.edges) {
    const TriangleMesh::Edge* const edge = &mesh.edges()[static_cast<std::size_t>(e)];
    fetch(edge);
    fetch(reinterpret_cast<const char*>(edge + 1) - 1);
  }
}

}  // namespace nsn
