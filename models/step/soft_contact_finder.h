/// Finds the contacts of deformable bodies: with rigid shapes, with each other, with themselves.
///
/// Rigid shapes:
///   any               each vertex, as a ball of the surface's thickness, through the pair table
///   rounded polytope  each vertex of its core against the triangles whose faces it is above
///   box, hull         edges that cross, as capsules, where neither end touches
///
/// With World::use_mesh_features() every pair of features: all points of a vertex or an edge and a
/// mesh, and the vertices of the mesh as a core.
///
/// Deformables: a vertex against the nearest triangle, and edges that cross where no end touches. A
/// surface meets itself only where the two places are further apart at rest than they can be now.
///
/// A deformable body is of category 1 and meets every category (CollisionFilter of
/// models/world/world.h).
///
/// Contacts are found up to the world's margin and what speed adds to it; their order depends on
/// the world alone, an id names the features that meet.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsn/models/collision/broad_phase.h"
#include "nsn/models/collision/manifold.h"
#include "nsn/models/rows/soft_contact_rows.h"
#include "nsn/models/world/world.h"

namespace nsn {

class SoftContactFinder {
 public:
  /// Replaces the contacts of `out`. h: the step, for the distance that fast points close in it.
  /// stop: asked between pairs; returns false if it ended the search.
  bool find(const World& world, double h, SoftContactRowSet& out,
            const std::function<bool()>& stop = {});

 private:
  struct Placed {  // a deformable where it is now
    Aabb box;
    double margin = 0.0;  // m, speed included
    double radius = 0.0;  // of a vertex as a ball
    std::vector<Vec3> vertex;
    std::vector<char> touches;  // vertices that touch what is being examined
  };

  void place(const World& world, double h);
  void with_shape(const World& world, int d, int s, double h);
  void vertices_with_shape(const World& world, int d, int s, const Pose& pose, double margin);
  void core_with_triangles(const World& world, int d, int s, const Pose& pose, double margin);
  void edges_with_shape(const World& world, int d, int s, const Pose& pose, double margin);
  void add_rigid(const World& world, int d, int s, const ContactSide& side, const Vec3& on_shape,
                 double shape_radius, const Vec3& normal, std::uint64_t feature);
  void with_deformable(const World& world, int d, int e);
  void vertex_with_triangles(const World& world, int d, int e,
                             const std::vector<std::pair<int, int>>& candidates);
  void edges_with_edges(const World& world, int d, int e,
                        const std::vector<std::pair<int, int>>& candidates);
  void add_soft(const World& world, int d, int e, const ContactSide& a, const ContactSide& b,
                const Vec3& normal, std::uint64_t feature);
  bool far_apart_at_rest(const World& world, int d, const ContactSide& a,
                         const ContactSide& b) const;

  std::vector<Placed> placed_;
  std::vector<SoftContact>* out_ = nullptr;
  BroadPhase broad_phase_;
  std::vector<Aabb> boxes_;
  std::vector<std::pair<int, int>> vertex_pairs_, edge_pairs_;
  Manifold manifold_;
};

}  // namespace nsn
