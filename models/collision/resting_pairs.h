/// Contact points of pairs that do not move against each other, from one step to the next.
///
///   pairs.start_step();
///   for (each pair, ascending)
///     if (!pairs.reuse(key, ...)) { collide(...); pairs.keep(key, ...); }
///
/// Looking for the features of two meshes that meet costs far more than a step of a pile that
/// rests. As long as no point of shape a has moved by more than `tolerance` as seen from b, the
/// features that meet are the same, and each point is where its body has carried it. Gaps are those
/// of the present poses; tangential drift of a point is neglected, of second order in the
/// tolerance.
///
/// The points depend on the steps before, but only by that.
#pragma once

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/pair_memory.h"

namespace nsn {

class RestingPairs {
 public:
  void start_step() { points_.start_step(); }
  /// Returns true if the points of the last step hold still: `out` has them where the two are now.
  bool reuse(const PlacedPair& pair, double tolerance, Manifold& out);
  /// Points that were just found.
  void keep(const PlacedPair& pair, const Manifold& found);

  struct Points {
    double margin = 0.0;
    Manifold local;  ///< on_a in the axes of a; on_b and normal in those of b
  };
  /// What a saved state keeps.
  const PairMemory<Points>& memory() const { return points_; }
  PairMemory<Points>& memory() { return points_; }

 private:
  PairMemory<Points> points_;
};

}  // namespace nsn
