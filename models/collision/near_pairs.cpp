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

void NearPairs::start_step() {
  std::swap(last_, now_);
  now_.clear();
  next_ = 0;
}

const NearFeatures* NearPairs::reuse(const PlacedPair& pair) {
  while (next_ < last_.size() && last_[next_].key < pair.key) ++next_;
  if (next_ == last_.size() || last_[next_].key != pair.key) return nullptr;
  Entry& known = last_[next_++];
  if (!hold(known.a_in_b, known.margin, known.slack, pair)) return nullptr;
  if (next_ < last_.size()) fetch(last_[next_].features);
  Entry& entry = now_.add();
  std::swap(entry, known);
  return &entry.features;
}

NearFeatures& NearPairs::add(const PlacedPair& pair, const Slack& slack) {
  Entry& entry = now_.add();
  entry.key = pair.key;
  entry.a_in_b = seen_from(pair.b, pair.a);
  entry.margin = pair.margin;
  entry.slack = slack;
  return entry.features;
}

}  // namespace nsn
