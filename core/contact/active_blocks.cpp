#include "nsn/core/contact/active_blocks.h"

#include "nsn/core/base/parallel.h"

namespace nsn {

void ActiveBlocks::reserve(const BlockCsr& A) {
  rows_ = A.rows;
  begin_.assign(static_cast<std::size_t>(A.rows) + 1, 0);
  column_.resize(A.column.extent(0));
  value_.resize(A.value.extent(0));
}

void ActiveBlocks::gather(const BlockCsr& A, std::span<const std::uint8_t> active) {
  const auto is_active = [&](Index i) { return active[static_cast<std::size_t>(i)] != 0; };
  std::size_t used = 0;
  for (Index i = 0; i < rows_; ++i) {
    for (Index k = A.row_begin(i); is_active(i) && k < A.row_begin(i + 1); ++k) {
      if (!is_active(A.column(k))) continue;
      const double* const from = A.value.data() + static_cast<std::ptrdiff_t>(k) * kBlockSize;
      float* const to = value_.data() + used * kBlockSize;
      for (int e = 0; e < kBlockSize; ++e) to[e] = static_cast<float>(from[e]);
      column_[used++] = A.column(k);
    }
    begin_[static_cast<std::size_t>(i) + 1] = static_cast<Index>(used);
  }
}

void ActiveBlocks::multiply(Index i, const double* x, double* y) const {
  const Index first = begin_[static_cast<std::size_t>(i)];
  const Index last = begin_[static_cast<std::size_t>(i) + 1];
  if (first == last) {
    for (int c = 0; c < kBlock; ++c) y[c] = x[kBlock * i + c];
    return;
  }
  double y0 = 0.0;
  double y1 = 0.0;
  double y2 = 0.0;
  const Index* const column = column_.data();
  for (Index k = first; k < last; ++k) {
    const float* const a = value_.data() + static_cast<std::ptrdiff_t>(k) * kBlockSize;
    const double* const v = x + static_cast<std::ptrdiff_t>(column[k]) * kBlock;
    const auto at = [a](int e) { return static_cast<double>(a[e]); };
    y0 += at(0) * v[0] + at(1) * v[1] + at(2) * v[2];
    y1 += at(3) * v[0] + at(4) * v[1] + at(5) * v[2];
    y2 += at(6) * v[0] + at(7) * v[1] + at(8) * v[2];
  }
  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
}

void ActiveBlocks::apply(ConstVector x, Vector y) const {
  for_range(rows_, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) multiply(i, x.data(), y.data() + kBlock * i);
  });
}

ProductSums ActiveBlocks::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                          Vector y) const {
  const bool no_q = q.extent(0) == 0;
  return sum_products(rows_, [&](Index first, Index last, ProductSums& sum) {
    for (Index i = first; i < last; ++i) {
      multiply(i, x.data(), y.data() + kBlock * i);
      for (Index k = kBlock * i; k < kBlock * (i + 1); ++k) {
        if (no_q) {
          sum.add(x(k), d(k), y(k));
        } else {
          sum.add(x(k), d(k), y(k), q(k));
        }
      }
    }
  });
}

double ActiveBlocks::bytes_per_apply() const {
  return 40.0 * begin_.back() + 4.0 * (rows_ + 1.0) + 16.0 * kBlock * rows_;
}

}  // namespace nsn
