/// Features of pairs of meshes that may touch, from one step to the next.
///
///   pairs.start_step();
///   for (each pair, ascending) {
///     const NearFeatures* near = pairs.reuse(pair);
///     if (near == nullptr) collide_mesh_mesh(..., slack, pairs.add(pair, slack), out);
///     else collide_mesh_mesh(..., *near, out);
///   }
///
/// They hold while neither mesh has moved against the other by more than the slack they were found
/// with (near_features.h): contacts do not depend on when that was.
#pragma once

#include "nsn/models/collision/near_features.h"
#include "nsn/models/collision/pair_memory.h"

namespace nsn {

class NearPairs {
 public:
  void start_step() { near_.start_step(); }
  /// Those of the last step if they hold still, else null; valid until the next call.
  const NearFeatures* reuse(const PlacedPair& pair);
  /// To be found where the pair is now; valid until the next call.
  NearFeatures& add(const PlacedPair& pair, const Slack& slack);

 private:
  struct Near {
    double margin = 0.0;
    Slack slack;
    NearFeatures features;
  };
  PairMemory<Near> near_;
};

}  // namespace nsn
