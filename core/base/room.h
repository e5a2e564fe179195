/// Room for numbers that need no first value; what was large enough once is kept.
///
///   Room room;
///   room.reserve(n);                 // allocates only beyond what it has
///   double* numbers = room.get();    // n of them, not initialised
#pragma once

#include <cstddef>
#include <memory>

namespace nsn {

class Room {
 public:
  /// What was written before is lost if it has to grow.
  void reserve(std::size_t n) {
    if (n <= size_) return;
    numbers_ = std::make_unique_for_overwrite<double[]>(n);
    size_ = n;
  }
  double* get() const { return numbers_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<double[]> numbers_;
  std::size_t size_ = 0;
};

}  // namespace nsn
