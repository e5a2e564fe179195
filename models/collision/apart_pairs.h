/// Pairs of meshes that are too far apart to touch, from one step to the next.
///
///   pairs.start_step();
///   for (each pair, ascending)
///     if (!pairs.still_apart(pair, slack)) { collide(...); if (nothing) pairs.keep(pair, gap); }
///
/// Most pairs whose boxes overlap are apart, and stay so for many steps. No point of a has moved
/// against b by more than `motion` since the gap was found, so that there is no contact if
///
///   gap - motion > margin + slack
#pragma once

#include "nsn/models/collision/pair_memory.h"

namespace nsn {

class ApartPairs {
 public:
  void start_step() { gaps_.start_step(); }
  /// Returns true if they were in the last step; they may be still, though they have moved too far
  /// to be certain.
  bool were_apart(const PlacedPair& pair) { return gaps_.find(pair) != nullptr; }
  /// Returns true if they are further apart than the margin and `slack` (m), for certain.
  bool still_apart(const PlacedPair& pair, double slack) {
    const auto* const known = gaps_.find(pair);
    if (known == nullptr) return false;
    if (!(known->value - motion(known->a_in_b, pair) > pair.margin + slack)) return false;
    gaps_.carry();
    return true;
  }
  /// They are at least `gap` (m) apart where they are now.
  void keep(const PlacedPair& pair, double gap) { gaps_.add(pair) = gap; }

 private:
  PairMemory<double> gaps_;  // m
};

}  // namespace nsn
