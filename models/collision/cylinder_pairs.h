/// Cylinders against planes, rounded polytopes and each other.
///
/// The signed distance is the largest gap(n) of any unit n (separating_axis.h). The maximum is at
///
///   features that meet                           direction n
///   a flat end, a face of the polytope           its normal
///   the side and an edge or another side         the cross product of the two directions
///   the side or a rim and a vertex               from the nearest point of the cylinder
///   a rim and an edge or a side                  one angle about the axis, by bisection
///   a rim and a rim                              two angles, by Newton's method
///
/// and every candidate is a lower bound, so the largest one is taken; GJK says which features to
/// look at while the shapes are apart. Manifolds: a flat end is a polygon of Cylinder::kRim corners
/// on its rim and its deepest point; the side is the axis with a radius, so that a rolling cylinder
/// keeps its contact; a rim is one point.
#pragma once

#include "nsn/models/collision/convex_pairs.h"
#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/shape.h"

namespace nsn {

void collide_cylinder_plane(const Shape& cylinder, const Pose& pose_a, const Shape& plane,
                            const Pose& pose_b, double margin, Manifold& out);
/// `convex`: ball, capsule, box or hull.
void collide_convex_cylinder(const Shape& convex, const Pose& pose_a, const Shape& cylinder,
                             const Pose& pose_b, double margin, Manifold& out);
void collide_cylinder_cylinder(const Shape& a, const Pose& pose_a, const Shape& b,
                               const Pose& pose_b, double margin, Manifold& out);

class Cylinder;
class TriangleMesh;
/// Triangle t of a mesh. Directions that belong to no feature of the mesh, or to the back of a mesh
/// with one side, are replaced by the triangle's normal or left to its neighbours.
void collide_cylinder_triangle(const Cylinder& cylinder, const Pose& pose_a,
                               const TriangleMesh& mesh, int t, const Pose& pose_b, double margin,
                               Manifold& out);

/// Signed distance, exact; a: ball, capsule, box, hull.
Closest closest_convex_cylinder(const Shape& convex, const Pose& pose_a, const Shape& cylinder,
                                const Pose& pose_b);
Closest closest_cylinders(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

}  // namespace nsn
