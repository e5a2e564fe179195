/// Finds the contacts of a step: broad phase, contact points of each pair, contacts given by hand.
///
/// The order of the contacts depends on the world alone: contacts given by hand in their order,
/// then pairs of shapes by ascending indices. An id names the shapes and the features that meet.
/// Points of meshes that rest against something are those of the step before
/// (models/collision/resting_pairs.h); meshes that are far enough apart to stay so are not looked
/// at (models/collision/apart_pairs.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/collision/apart_pairs.h"
#include "models/collision/broad_phase.h"
#include "models/collision/resting_pairs.h"
#include "models/rows/contact_rows.h"
#include "models/world.h"

namespace nsn {

class ContactFinder {
 public:
  /// Replaces the contacts of `out`. h: the step, for the distance that fast bodies close in it.
  void find(const World& world, double h, ContactRowSet& out);

 private:
  void place_bodies(const World& world);
  void add_given(const World& world, std::vector<Contact>& out) const;
  void place_shapes(const World& world, double h);
  void place_shape(const World& world, double h, std::size_t s);
  void add_pair(const World& world, int s, int t, std::vector<Contact>& out);
  /// The points of shapes s and t, in the order of the pair table, into manifold_.
  void find_points(const World& world, CollideFunction collide, int s, int t);
  /// Points of a mesh are kept where nothing moves.
  void find_mesh_points(const World& world, CollideFunction collide, int s, int t);
  /// No point of the shape is further from its origin, m.
  double reach(int s) const;
  /// The box around one of the shapes may hold that around the other.
  bool may_hold(int s, int t) const;

  BroadPhase broad_phase_;
  std::vector<Pose> placed_;  // bodies
  std::vector<Pose> poses_;   // shapes
  std::vector<int> kinds_;    // of the pair table
  std::vector<std::uint8_t> moves_;
  int mesh_kind_ = -1;
  std::vector<double> margins_;
  std::vector<Aabb> boxes_;
  Manifold manifold_;
  RestingPairs resting_;
  ApartPairs apart_;
};

}  // namespace nsn
