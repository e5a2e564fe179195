/// Meshes against everything: the features of both (feature_contacts.h) near each other.
///
/// Balls, capsules, boxes and hulls enter with the vertices, edges and faces of their cores;
/// cylinders meet each triangle near them (cylinder_pairs.h). Only what lies within the margin of
/// the other's bounding box is examined, found by the mesh's own tree; of two meshes the triangles
/// that may come within the margin of each other (near_triangles.h), and wider only where an edge
/// of one reaches deeper into the other. Something that lies deeper behind a triangle than the
/// mesh's depth is not pushed out by it; where a closed mesh overlaps something so deeply that no
/// features explain it, one contact along the axis of least overlap does.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/near_features.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

/// Every active vertex within the margin, named by its number.
void collide_mesh_plane(const Shape& mesh, const Pose& pose_a, const Shape& plane,
                        const Pose& pose_b, double margin, Manifold& out);
/// `convex`: ball, capsule, box or hull.
void collide_convex_mesh(const Shape& convex, const Pose& pose_a, const Shape& mesh,
                         const Pose& pose_b, double margin, Manifold& out);
void collide_cylinder_mesh(const Shape& cylinder, const Pose& pose_a, const Shape& mesh,
                           const Pose& pose_b, double margin, Manifold& out);
void collide_mesh_mesh(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                       double margin, Manifold& out);

/// collide_mesh_mesh, and `near`: the features that may touch, also later on.
void collide_mesh_mesh(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                       const Pose& pose_b, double margin, const Slack& slack, NearFeatures& near,
                       Manifold& out);
/// The same contacts bit by bit from features that were found before, while any point has moved
///
///   by no more than slack.distance, and margin then + slack.distance - margin now
///
/// and any direction has turned by no more than slack.turn.
void collide_mesh_mesh(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b,
                       const Pose& pose_b, double margin, const NearFeatures& near, Manifold& out);

}  // namespace nsn
