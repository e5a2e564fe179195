/// Finds the contacts of a step: broad phase, contact points of each pair, contacts given by hand.
///
/// The order of the contacts depends on the world alone: contacts given by hand in their order,
/// then pairs of shapes by ascending indices. An id names the shapes and the features that meet.
/// Pairs are examined in parts, each with what it remembers of the step before, so that neither
/// the contacts nor their order depend on the number of threads.
///
/// Most shapes are far from everything they may touch. The broad phase has boxes that are found
/// fast; tight ones, which the contacts depend on, are found where a pair is left of it.
///
/// Points of meshes that rest against something are those of the step before
/// (models/collision/resting_pairs.h); meshes that are far enough apart to stay so are not looked
/// at (models/collision/apart_pairs.h); which features of two meshes are near each other is found
/// for several steps at once (models/collision/near_pairs.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "nsn/models/collision/apart_pairs.h"
#include "nsn/models/collision/broad_phase.h"
#include "nsn/models/collision/near_pairs.h"
#include "nsn/models/collision/pair_table.h"
#include "nsn/models/collision/resting_pairs.h"
#include "nsn/models/rows/contact_rows.h"
#include "nsn/models/world/world.h"

namespace nsn {

class StateReader;
class StateWriter;

class ContactFinder {
 public:
  /// Replaces the contacts of `out`. h: the step, for the distance that fast bodies close in it. stop:
  /// asked between pairs, from several threads; returns false if it ended the search, which leaves
  /// this object of no use.
  bool find(const World& world, double h, ContactRowSet& out,
            const std::function<bool()>& stop = {});

  /// Pairs of the last search that were met as a ball (models/collision/fast_pair.h).
  int fast_pairs() const;

  /// What later contacts depend on: points of meshes that rest.
  void write_memory(StateWriter& out) const;
  void read_memory(StateReader& in, const World& world);

 private:
  /// A pair that may touch, in the order of the pair table.
  struct Pair {
    int s = 0;
    int t = 0;
    CollideFunction collide = nullptr;
  };
  /// Pairs whose lower shapes follow each other: a pair is always in the same part.
  struct Part {
    std::size_t begin = 0;  // of pairs_
    std::size_t end = 0;
    std::vector<Contact> contacts;
    Manifold manifold;  // of one pair
    RestingPairs resting;
    ApartPairs apart;
    NearPairs near;
    int fast_pairs = 0;
    bool stopped = false;
    std::exception_ptr error;  // of the question whether to stop
  };

  void place_bodies(const World& world);
  void add_given(const World& world, std::vector<Contact>& out) const;
  void place_shapes(const World& world, double h);
  void place_shape(const World& world, std::size_t s);
  /// Grows boxes_[s], which is around the shape alone, by how far it may touch something.
  void grow_box(const World& world, double h, std::size_t s);
  /// Pairs of the broad phase that may touch, in their order, by parts.
  void choose_pairs(const World& world);
  bool may_touch(const World& world, int s, int t) const;
  /// Exact boxes of the shapes that are in a pair.
  void tighten(const World& world, double h);
  void find_contacts(const World& world, double h, const std::function<bool()>& stop, Part& part);
  void add_pair(const World& world, double h, const Pair& pair, Part& part);
  /// Replaces the points of a pair that is too fast for its features.
  void meet_fast_pair(const World& world, double h, const Pair& pair, Part& part) const;
  /// Points of a mesh are kept where nothing moves.
  void find_mesh_points(const World& world, double h, const Pair& pair, Part& part);
  /// Of two meshes, by the features that were near each other in the last step.
  void collide_meshes(const World& world, double h, const Pair& which, const PlacedPair& pair,
                      Part& part);
  /// No point of shape s moves further against shape t in a step at the present speeds, m.
  double step_length(const World& world, double h, int s, int t) const;
  /// No point of the shape is further from its origin, m.
  double reach(int s) const;
  /// The box around one of the shapes may hold that around the other.
  bool may_hold(int s, int t) const;

  BroadPhase broad_phase_;
  std::vector<Pose> placed_;  // bodies
  std::vector<Pose> poses_;   // shapes
  std::vector<int> kinds_;    // of the pair table
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint8_t> paired_;
  int mesh_kind_ = -1;
  std::vector<double> margins_;
  std::vector<Aabb> boxes_;
  std::vector<Pair> pairs_;
  std::vector<Part> parts_;
};

}  // namespace nsn
