/// Features of a mesh (feature_contacts.h): which ones, and where they are.
///
///   part.list(mesh, triangles, region);       // by number, whatever the pose
///   place_features(mesh, pose, part, set);    // where they are now
#pragma once

#include <span>
#include <vector>

#include "nsn/models/collision/feature_contacts.h"
#include "nsn/models/collision/triangle_mesh.h"

namespace nsn {

/// Numbers of features, all ascending.
struct MeshPart {
  std::vector<int> triangles;
  std::vector<int> corners;   ///< of the triangles
  std::vector<int> vertices;  ///< those of them that can touch something
  std::vector<int> edges;     ///< of the triangles, that can touch something

  void clear();
  /// The triangles given (ascending), and of their edges and vertices those in the region (mesh
  /// axes). Allocates only for more than ever before.
  void list(const TriangleMesh& mesh, std::span<const int> given, const Region& region);
};

/// Replaces what was in the set.
void place_features(const TriangleMesh& mesh, const Pose& pose, const MeshPart& part,
                    FeatureSet& set);

}  // namespace nsn
