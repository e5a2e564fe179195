/// The features of two meshes that may touch, and which of them may touch which.
///
/// Finding them is most of the work of two meshes that touch. They are found with a slack, so that
/// they need not be found again until the meshes have moved against each other by that much (a
/// list of neighbours as of Verlet 1967), and the contacts are the same bit by bit:
///
///   margin + motion since <= reach
#pragma once

#include "nsn/models/collision/feature_contacts.h"
#include "nsn/models/collision/mesh_features.h"

namespace nsn {

struct NearFeatures {
  MeshPart a;
  MeshPart b;
  bool apart = true;    ///< neither passes through the other, for certain
  bool listed = false;  ///< what follows is there: found with a slack
  FeaturePairs pairs;
  NumberLists through_b;  ///< of a's edges: faces of b; unless `apart`
  NumberLists through_a;

  bool empty() const { return a.triangles.empty() || b.triangles.empty(); }
};

}  // namespace nsn
