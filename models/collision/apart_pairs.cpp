#include "nsn/models/collision/apart_pairs.h"

namespace nsn {

void ApartPairs::start_step() {
  std::swap(last_, now_);
  now_.clear();
  next_ = 0;
}

bool ApartPairs::were_apart(const PlacedPair& pair) {
  while (next_ < last_.size() && last_[next_].key < pair.key) ++next_;
  return next_ < last_.size() && last_[next_].key == pair.key;
}

bool ApartPairs::still_apart(const PlacedPair& pair, double slack) {
  if (!were_apart(pair)) return false;
  const Entry& entry = last_[next_];
  if (!(entry.gap - motion(entry.a_in_b, pair) > pair.margin + slack)) return false;
  now_.push_back(entry);
  return true;
}

void ApartPairs::keep(const PlacedPair& pair, double gap) {
  now_.push_back({pair.key, seen_from(pair.b, pair.a), gap});
}

}  // namespace nsn
