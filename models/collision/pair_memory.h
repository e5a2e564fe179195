/// What is known of pairs of shapes, from one step to the next.
///
///   memory.start_step();
///   for (each pair, by ascending key) {
///     const auto* known = memory.find(pair);
///     if (known != nullptr && it still holds) use(memory.carry());
///     else memory.add(pair) = what was found;
///   }
///
/// Pairs that are neither carried nor added are forgotten. Both lists ascend: one walk through each.
#pragma once

#include <cstddef>
#include <utility>

#include "nsn/models/collision/placed_pair.h"
#include "nsn/models/collision/refilled.h"

namespace nsn {

template <class Value>
class PairMemory {
 public:
  struct Entry {
    std::pair<int, int> key;
    Pose a_in_b;  ///< where the shapes were when the value was found
    Value value;
  };

  void start_step() {
    std::swap(last_, now_);
    now_.clear();
    next_ = 0;
  }
  /// What was known in the last step and has not been carried yet, or null.
  const Entry* find(const PlacedPair& pair) {
    while (next_ < last_.size() && last_[next_].key < pair.key) ++next_;
    return next_ < last_.size() && last_[next_].key == pair.key ? &last_[next_] : nullptr;
  }
  /// Keeps the entry that find() has just returned; valid until the next carry() or add().
  const Value& carry() {
    Entry& entry = now_.add();
    std::swap(entry, last_[next_++]);
    return entry.value;
  }
  /// The entry of the last step that follows the carried one, or null.
  const Entry* following() const { return next_ < last_.size() ? &last_[next_] : nullptr; }
  /// What was found where the pair is now; holds an old value: write all of it. Valid until the
  /// next carry() or add().
  Value& add(const PlacedPair& pair) {
    Entry& entry = now_.add();
    entry.key = pair.key;
    entry.a_in_b = seen_from(pair.b, pair.a);
    return entry.value;
  }

  /// What is known since the last start_step(), by ascending key.
  const Refilled<Entry>& entries() const { return now_; }
  Refilled<Entry>& entries() { return now_; }

 private:
  Refilled<Entry> last_, now_;
  std::size_t next_ = 0;  // entry of the last step
};

}  // namespace nsn
