#include "nsn/core/linear/single_operator.h"

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

using FloatVector = Kokkos::View<float*, Memory>;

/// Rows of Side x Side blocks as bare pointers.
template <Index Side>
class FloatRows {
 public:
  FloatRows(const IndexVector& begin, const IndexVector& column, const FloatVector& value)
      : begin_(begin.data()), column_(column.data()), value_(value.data()) {}

  /// out[0..Side) = block row i of F x
  void multiply(Index i, const double* x, double* out) const {
    double y[Side] = {};
    for (Index k = begin_[i]; k < begin_[i + 1]; ++k) {
      const float* const a = value_ + static_cast<std::ptrdiff_t>(k) * Side * Side;
      const double* const v = x + static_cast<std::ptrdiff_t>(column_[k]) * Side;
      prefetch_ahead(a);
      for (Index r = 0; r < Side; ++r) {
        for (Index c = 0; c < Side; ++c) y[r] += static_cast<double>(a[Side * r + c]) * v[c];
      }
    }
    for (Index r = 0; r < Side; ++r) out[r] = y[r];
  }

 private:
  const Index* begin_;
  const Index* column_;
  const float* value_;
};

template <Index Side>
void multiply(const FloatRows<Side>& rows, Index count, const double* x, double* y) {
  for_range(count, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      rows.multiply(i, x, y + static_cast<std::ptrdiff_t>(i) * Side);
    }
  });
}

template <Index Side>
ProductSums multiply_with_sums(const FloatRows<Side>& rows, Index count, const double* x,
                               const double* d, const double* q, double* y) {
  return sum_products(count, [=](Index first, Index last, ProductSums& sum) {
    for (Index i = first; i < last; ++i) {
      double* const out = y + static_cast<std::ptrdiff_t>(i) * Side;
      rows.multiply(i, x, out);
      for (Index r = 0; r < Side; ++r) add_row(x, d, q, Side * i + r, out[r], sum);
    }
  });
}

}  // namespace

void SingleOperator::analyze(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.has_entries(), "a matrix-free operator of {} rows has no entries", op.rows());
  rows_ = op.rows();
  side_ = op.blocks() != nullptr ? kBlock : 1;
  row_begin_ = op.blocks() != nullptr ? op.blocks()->row_begin : op.scalars()->row_begin;
  column_ = op.blocks() != nullptr ? op.blocks()->column : op.scalars()->column;
  const Vector& from = op.blocks() != nullptr ? op.blocks()->value : op.scalars()->value;
  value_ = FloatVector(Kokkos::view_alloc("single", Kokkos::WithoutInitializing), from.extent(0));
  pattern_id_ = next_operator_id();
}

void SingleOperator::update(const LinearOperator& op) {
  source_ = &op;
  const Vector& from = op.blocks() != nullptr ? op.blocks()->value : op.scalars()->value;
  NSN_THROW_UNLESS(from.extent(0) == value_.extent(0),
                   "a matrix of {} values where {} were analysed", from.extent(0),
                   value_.extent(0));
  const double* const in = from.data();
  float* const out = value_.data();
  for_range(size_of(value_), [=](Index first, Index last) {
    for (Index k = first; k < last; ++k) out[k] = static_cast<float>(in[k]);
  });
  value_id_ = next_operator_id();
}

void SingleOperator::apply(ConstVector x, Vector y) const {
  if (side_ == kBlock) {
    multiply(FloatRows<kBlock>(row_begin_, column_, value_), rows_ / kBlock, x.data(), y.data());
  } else {
    multiply(FloatRows<1>(row_begin_, column_, value_), rows_, x.data(), y.data());
  }
}

ProductSums SingleOperator::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                            Vector y) const {
  return side_ == kBlock
             ? multiply_with_sums(FloatRows<kBlock>(row_begin_, column_, value_), rows_ / kBlock,
                                  x.data(), d.data(), q.data(), y.data())
             : multiply_with_sums(FloatRows<1>(row_begin_, column_, value_), rows_, x.data(),
                                  d.data(), q.data(), y.data());
}

double SingleOperator::bytes_per_apply() const {
  return 4.0 * static_cast<double>(value_.extent(0) + column_.extent(0) + row_begin_.extent(0)) +
         16.0 * rows_;
}

}  // namespace nsn
