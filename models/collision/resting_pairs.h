/// Contact points of pairs that do not move against each other, from one step to the next.
///
///   pairs.start_step();
///   for (each pair, ascending)
///     if (!pairs.reuse(key, ...)) { collide(...); pairs.keep(key, ...); }
///
/// Looking for the features of two meshes that meet costs far more than a step of a pile that
/// rests. Where the points were found, neither shape has moved against the other by more than
/// `tolerance` since (no point of shape a, as seen from b), so the features that meet are the same,
/// and each point is where its body has carried it. Gaps are those of the present poses; what is
/// neglected is the way of a point along the other surface, of second order in the tolerance.
///
/// The points depend on the steps before, but only by that.
#pragma once

#include <utility>
#include <vector>

#include "nsn/models/collision/manifold.h"
#include "nsn/models/collision/placed_pair.h"

namespace nsn {

class RestingPairs {
 public:
  void start_step();
  /// True: `out` has the points of the last step where the two are now.
  bool reuse(const PlacedPair& pair, double tolerance, Manifold& out);
  /// Points that were just found.
  void keep(const PlacedPair& pair, const Manifold& found);

 private:
  struct Entry {
    std::pair<int, int> key;
    Pose a_in_b;  // where the points were found
    double margin = 0.0;
    int begin = 0;
    int end = 0;
  };
  struct Step {
    std::vector<Entry> entries;
    Manifold points;  // on_a in the axes of a; on_b and normal in those of b
  };
  Step last_, now_;
  std::size_t next_ = 0;  // entry of the last step
};

}  // namespace nsn
