/// Pairs of meshes that are too far apart to touch, from one step to the next.
///
///   pairs.start_step();
///   for (each pair, ascending)
///     if (!pairs.still_apart(pair, slack)) { collide(...); if (nothing) pairs.keep(pair, gap); }
///
/// Most pairs whose boxes overlap are apart, and stay so for many steps. Where a gap was found, no
/// point of a has moved against b by more than `motion` since, so that the gap is still at least
///
///   gap - motion > margin + slack
///
/// and there is no contact, whatever way one looks for it.
#pragma once

#include <utility>
#include <vector>

#include "nsn/models/collision/placed_pair.h"

namespace nsn {

class ApartPairs {
 public:
  void start_step();
  /// In the last step: they may be still, though they have moved too far to be certain.
  bool were_apart(const PlacedPair& pair);
  /// True: further apart than the margin and `slack` (m), for certain.
  bool still_apart(const PlacedPair& pair, double slack);
  /// They are at least `gap` (m) apart where they are now.
  void keep(const PlacedPair& pair, double gap);

 private:
  struct Entry {
    std::pair<int, int> key;
    Pose a_in_b;  // where the gap was found
    double gap = 0.0;
  };
  std::vector<Entry> last_, now_;
  std::size_t next_ = 0;  // entry of the last step
};

}  // namespace nsn
