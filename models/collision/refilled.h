/// A list that is filled again and again.
///
///   list.clear();
///   Entry& entry = list.add();  // holds what it held before: write all of it
///
/// A vector would set every new entry to zero, which costs as much as writing it.
#pragma once

#include <cstddef>
#include <vector>

namespace nsn {

template <class T>
class Refilled {
 public:
  void clear() { size_ = 0; }
  /// Allocates only for more than ever before; references to other entries end then.
  T& add() {
    if (size_ == all_.size()) all_.emplace_back();
    return all_[size_++];
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t k) { return all_[k]; }
  const T& operator[](std::size_t k) const { return all_[k]; }
  T* begin() { return all_.data(); }
  T* end() { return all_.data() + size_; }
  const T* begin() const { return all_.data(); }
  const T* end() const { return all_.data() + size_; }

 private:
  std::vector<T> all_;
  std::size_t size_ = 0;
};

}  // namespace nsn
