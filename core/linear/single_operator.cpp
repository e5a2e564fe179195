#include "nsn/core/linear/single_operator.h"

#include "nsn/core/base/error.h"
#include "nsn/core/linear/row_products.h"

namespace nsn {
namespace {

using FloatVector = Kokkos::View<float*, Memory>;

/// Rows of Side x Side blocks as bare pointers.
template <Index Side>
class FloatRows {
 public:
  FloatRows(const IndexVector& begin, const IndexVector& column, const FloatVector& value,
            bool empty_is_unit, ConstVector x)
      : begin_(begin.data()),
        column_(column.data()),
        value_(value.data()),
        x_(x.data()),
        empty_is_unit_(empty_is_unit) {}

  /// out[0..Side) = block row i of F x
  void operator()(Index i, double* out) const {
    const Index first = begin_[i];
    const Index last = begin_[i + 1];
    if (empty_is_unit_ && first == last) {
      for (Index r = 0; r < Side; ++r) out[r] = x_[Side * i + r];
      return;
    }
    double y[Side] = {};
    for (Index k = first; k < last; ++k) {
      const float* const a = value_ + static_cast<std::ptrdiff_t>(k) * Side * Side;
      const double* const v = x_ + static_cast<std::ptrdiff_t>(column_[k]) * Side;
      prefetch_ahead(a);
      for (Index r = 0; r < Side; ++r) {
        double sum = static_cast<double>(a[Side * r]) * v[0];
        for (Index c = 1; c < Side; ++c) sum += static_cast<double>(a[Side * r + c]) * v[c];
        y[r] += sum;
      }
    }
    for (Index r = 0; r < Side; ++r) out[r] = y[r];
  }

 private:
  const Index* begin_;
  const Index* column_;
  const float* value_;
  const double* x_;
  bool empty_is_unit_;
};

}  // namespace

void SingleOperator::analyze(const LinearOperator& op, Rows rows) {
  NSN_THROW_UNLESS(op.has_entries(), "a matrix-free operator of {} rows has no entries", op.rows());
  active_ = rows == Rows::kActive;
  NSN_THROW_UNLESS(!active_ || op.blocks() != nullptr, "active rows are rows of blocks");
  rows_ = op.rows();
  side_ = op.blocks() != nullptr ? kBlock : 1;
  row_begin_ = op.blocks() != nullptr ? op.blocks()->row_begin : op.scalars()->row_begin;
  column_ = op.blocks() != nullptr ? op.blocks()->column : op.scalars()->column;
  value_ = FloatVector(Kokkos::view_alloc("single", Kokkos::WithoutInitializing),
                       column_.extent(0) * static_cast<std::size_t>(side_ * side_));
  if (active_) {
    row_begin_ = IndexVector("row_begin", row_begin_.extent(0));
    column_ = IndexVector("column", column_.extent(0));
  }
  pattern_id_ = next_operator_id();
}

void SingleOperator::update(const LinearOperator& op) {
  source_ = &op;
  const Vector& from = stored_values(op);
  NSN_THROW_UNLESS(!active_ && from.extent(0) == value_.extent(0),
                   "a matrix of {} values does not fit the analysis of {}", from.extent(0),
                   value_.extent(0));
  const double* const in = from.data();
  float* const out = value_.data();
  for_range(size_of(value_), [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) out[k] = static_cast<float>(in[k]);
  });
  value_id_ = next_operator_id();
}

void SingleOperator::update(const LinearOperator& op, std::span<const std::uint8_t> active) {
  source_ = &op;
  const BlockCsr& A = *op.blocks();
  const auto is_active = [&](Index i) { return active[static_cast<std::size_t>(i)] != 0; };
  Index used = 0;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.row_begin(i); is_active(i) && k < A.row_begin(i + 1); ++k) {
      if (!is_active(A.column(k))) continue;
      const double* const from = A.value.data() + static_cast<std::ptrdiff_t>(k) * kBlockSize;
      float* const to = value_.data() + static_cast<std::ptrdiff_t>(used) * kBlockSize;
      for (int e = 0; e < kBlockSize; ++e) to[e] = static_cast<float>(from[e]);
      column_(used++) = A.column(k);
    }
    row_begin_(i + 1) = used;
  }
  value_id_ = next_operator_id();
}

/// work(rows, how many) with the rows of F x: of blocks or of scalars.
template <class Work>
auto SingleOperator::with_rows(ConstVector x, const Work& work) const {
  return side_ == kBlock
             ? work(FloatRows<kBlock>(row_begin_, column_, value_, active_, x), rows_ / kBlock)
             : work(FloatRows<1>(row_begin_, column_, value_, active_, x), rows_);
}

void SingleOperator::apply(ConstVector x, Vector y) const {
  with_rows(x, [&]<Index Side>(const FloatRows<Side>& rows, Index count) {
    multiply_rows<Side>(count, y, rows);
  });
}

ProductSums SingleOperator::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                            Vector y) const {
  return with_rows(x, [&]<Index Side>(const FloatRows<Side>& rows, Index count) {
    return multiply_rows_with_sums<Side>(count, x, d, q, y, rows);
  });
}

double SingleOperator::bytes_per_apply() const {
  const double blocks = row_begin_(size_of(row_begin_) - 1);
  return 4.0 * (side_ * side_ + 1.0) * blocks + 4.0 * size_of(row_begin_) + 16.0 * rows_;
}

double SingleOperator::bytes_held() const {
  const double own_pattern = active_ ? 4.0 * size_of(column_) + 4.0 * size_of(row_begin_) : 0.0;
  return 4.0 * size_of(value_) + own_pattern;
}

}  // namespace nsn
