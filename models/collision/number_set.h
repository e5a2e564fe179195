/// A set of small numbers that forgets all of them at once, whatever its size.
#pragma once

#include <cstddef>
#include <vector>

namespace nsn {

class NumberSet {
 public:
  /// Empty again, for numbers below `size`. Allocates only for more than ever before.
  void clear(std::size_t size) {
    if (rounds_.size() < size) rounds_.resize(size, 0);
    ++round_;
  }
  bool holds(int k) const { return rounds_[static_cast<std::size_t>(k)] == round_; }
  /// False: it is there already.
  bool insert(int k) {
    std::size_t& round = rounds_[static_cast<std::size_t>(k)];
    if (round == round_) return false;
    round = round_;
    return true;
  }

 private:
  std::vector<std::size_t> rounds_;  // in which a number was inserted last
  std::size_t round_ = 0;
};

}  // namespace nsn
