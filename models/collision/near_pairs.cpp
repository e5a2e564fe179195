#include "nsn/models/collision/near_pairs.h"

#include "nsn/models/collision/mesh_fetch.h"

namespace nsn {
namespace {

bool hold(const Pose& a_in_b, double margin, const Slack& slack, const PlacedPair& pair) {
  const double moved = motion(a_in_b, pair);
  return moved <= slack.distance && pair.margin + moved <= margin + slack.distance &&
         turn(a_in_b, seen_from(pair.b, pair.a)) <= slack.turn;
}

}  // namespace

const NearFeatures* NearPairs::reuse(const PlacedPair& pair) {
  const auto* const known = near_.find(pair);
  if (known == nullptr || !hold(known->a_in_b, known->value.margin, known->value.slack, pair)) {
    return nullptr;
  }
  const Near& near = near_.carry();
  if (near_.following() != nullptr) fetch(near_.following()->value.features);
  return &near.features;
}

NearFeatures& NearPairs::add(const PlacedPair& pair, const Slack& slack) {
  Near& near = near_.add(pair);
  near.margin = pair.margin;
  near.slack = slack;
  return near.features;
}

}  // namespace nsn
