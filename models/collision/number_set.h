/// A set of small numbers, one bit each: they come out in ascending order without being sorted.
///
///   set.fit(count);                    // for numbers below count
///   for (...) set.insert(number);
///   set.move_to(list);                 // and the set is empty again
///
/// Nothing branches on what is in the set already: that cannot be foreseen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nsn {

class NumberSet {
 public:
  /// Allocates only for more than ever before.
  void fit(std::size_t count) {
    if (words_.size() * kBits < count) words_.resize((count + kBits - 1) / kBits, 0);
  }
  /// `wanted`: 1, or 0 to leave the set as it is.
  void insert(int k, unsigned wanted = 1) {
    const std::size_t word = static_cast<std::size_t>(k) / kBits;
    words_[word] |= std::uint64_t{wanted} << (static_cast<unsigned>(k) % kBits);
    first_ = std::min(first_, word);
    end_ = std::max(end_, word + 1);
  }
  /// Replaces the contents of `out`; costs the range of the numbers, 64 at once.
  void move_to(std::vector<int>& out) {
    out.clear();
    for (std::size_t word = first_; word < end_; ++word) {
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
        out.push_back(static_cast<int>(word * kBits) + std::countr_zero(rest));
      }
      words_[word] = 0;
    }
    first_ = kNone;
    end_ = 0;
  }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::uint64_t> words_;
  std::size_t first_ = kNone;  // all numbers are in words_[first_, end_)
  std::size_t end_ = 0;
};

}  // namespace nsn
