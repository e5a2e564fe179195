/// Starts to load what will be read of meshes and of lists of their features: those of a pile are
/// more than the caches hold, and what is read of them lies scattered. Changes nothing else.
#pragma once

#include "nsn/core/base/lanes.h"
#include "nsn/core/base/types.h"
#include "nsn/models/collision/mesh_features.h"
#include "nsn/models/collision/near_features.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {

/// What place_features reads.
NSN_INLINE void fetch(const TriangleMesh& mesh, const MeshPart& part) {
  for (const int t : part.triangles) {
    prefetch(&mesh.triangles()[static_cast<std::size_t>(t)]);
    prefetch(&mesh.normals()[static_cast<std::size_t>(t)]);
  }
  for (const int e : part.edges) {
    const TriangleMesh::Edge* const edge = &mesh.edges()[static_cast<std::size_t>(e)];
    prefetch(edge);
    prefetch(reinterpret_cast<const char*>(edge + 1) - 1);
  }
}

/// The first two lines of each list.
NSN_INLINE void fetch(const NumberLists& lists) {
  constexpr std::size_t kLine = 64;
  for (const void* p : lists.memory()) {
    prefetch(p);
    prefetch(static_cast<const char*>(p) + kLine);
  }
}

/// What the contacts of two meshes are found by; to be asked for while those of the pair before are
/// looked for.
NSN_INLINE void fetch(const NearFeatures& near) {
  for (const MeshPart* part : {&near.a, &near.b}) {
    for (const auto* list : {&part->triangles, &part->corners, &part->vertices, &part->edges}) {
      prefetch(list->data());
    }
  }
  fetch(near.pairs.a.faces);
  fetch(near.pairs.a.edges);
  fetch(near.pairs.b.faces);
  fetch(near.pairs.b.edges);
  fetch(near.pairs.edges);
  fetch(near.through_a);
  fetch(near.through_b);
}

}  // namespace nsn
