/// Rows of N numbers, four side by side: what is asked of every row is computed for several at
/// once.
///
///   Quads<4> planes;  // x, y, z, offset of each
///   planes.push_back({n[0], n[1], n[2], d});
///   planes.select([&](const auto& q, std::size_t k) { return along(q, k, p) - q[3][k]; }, list);
///   for (const int k : list.numbers()) ...  // planes that p is not above
///
/// A quad holds number i of its four rows in quad[i]. Rows that fill up the last one are not a
/// number: no comparison holds for them, so that they are never selected.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/collision/refilled.h"

namespace nsn {

using Four = std::array<double, 4>;

/// The rows selected last; memory is kept from one selection to the next. All of it is without
/// branches: which rows pass cannot be foreseen.
class Selection {
 public:
  /// Ascending.
  std::span<const int> numbers() const { return {numbers_.data(), count_}; }
  /// 0 ... count - 1.
  void take(std::size_t count) {
    if (numbers_.size() < count) numbers_.resize(count);
    for (std::size_t k = 0; k < count; ++k) numbers_[k] = static_cast<int>(k);
    count_ = count;
  }
  /// Keeps those for which keep(number) is 1; it is 0 for the others.
  template <class Keep>
  void narrow(const Keep& keep) {
    int* numbers = numbers_.data();
    std::size_t count = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const int number = numbers[k];
      numbers[count] = number;
      count += keep(number);
    }
    count_ = count;
  }

 private:
  template <int N>
  friend class Quads;
  std::vector<Four> values_;
  std::vector<int> numbers_;
  std::size_t count_ = 0;
};

template <int N>
class Quads {
 public:
  using Quad = std::array<Four, N>;

  void clear() {
    quads_.clear();
    size_ = 0;
  }
  void push_back(const std::array<double, N>& row) {
    if (size_ % 4 == 0) {
      for (Four& column : quads_.add()) column.fill(std::numeric_limits<double>::quiet_NaN());
    }
    Quad& last = quads_[size_ / 4];
    for (std::size_t i = 0; i < N; ++i) last[i][size_ % 4] = row[i];
    ++size_;
  }
  std::size_t size() const { return size_; }

  /// Rows with value(quad, k) <= 0, k < 4 being their place in a quad.
  template <class Value>
  [[gnu::always_inline]] void select(const Value& value, Selection& out) const {
    if (out.values_.size() < quads_.size()) out.values_.resize(quads_.size());
    if (out.numbers_.size() < 4 * quads_.size()) out.numbers_.resize(4 * quads_.size());
    Four* values = out.values_.data();
    for (std::size_t q = 0; q < quads_.size(); ++q) {
      Four all;
      for (std::size_t k = 0; k < 4; ++k) all[k] = value(quads_[q], k);
      values[q] = all;
    }
    int* numbers = out.numbers_.data();
    std::size_t count = 0;
    int number = 0;
    for (std::size_t q = 0; q < quads_.size(); ++q) {
      for (const double v : values[q]) {
        numbers[count] = number++;
        count += static_cast<unsigned>(v <= 0.0);
      }
    }
    out.count_ = count;
  }

 private:
  Refilled<Quad> quads_;
  std::size_t size_ = 0;
};

/// n . (the three numbers from `First` on) of row k.
template <std::size_t First = 0, std::size_t N>
double along(const std::array<Four, N>& quad, std::size_t k, const Vec3& n) {
  return n[0] * quad[First][k] + n[1] * quad[First + 1][k] + n[2] * quad[First + 2][k];
}

}  // namespace nsn
