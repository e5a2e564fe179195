#include "nsn/core/linear/linear_operator.h"

#include <algorithm>
#include <atomic>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/row_products.h"

namespace nsn {
ProductSums product_sums(ConstVector x, ConstVector d, ConstVector q, ConstVector y) {
  const double* const px = x.data();
  const double* const pd = d.data();
  const double* const pq = q.data();  // null without a q
  const double* const py = y.data();
  return sum_products(size_of(x), [=](Index first, Index last, ProductSums& sum) {
    for (Index i = first; i < last; ++i) add_row(px, pd, pq, i, py[i], sum);
  });
}

ProductSums LinearOperator::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                            Vector y) const {
  apply(x, y);
  return product_sums(x, d, q, y);
}

const Vector& stored_values(const LinearOperator& op) {
  if (const BlockCsr* const blocks = op.blocks(); blocks != nullptr) return blocks->value;
  const Csr* const scalars = op.scalars();
  NSN_THROW_UNLESS(scalars != nullptr, "a matrix-free operator of {} rows has no entries",
                   op.rows());
  return scalars->value;
}

std::uint64_t next_operator_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

CsrOperator::CsrOperator(Csr A, bool symmetric) : A_(std::move(A)), symmetric_(symmetric) {
  NSN_THROW_UNLESS(A_.rows == A_.columns, "an operator is square, not {} x {}", A_.rows,
                   A_.columns);
}

ProductSums CsrOperator::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                         Vector y) const {
  return multiply_rows_with_sums<1>(A_.rows, x, d, q, y,
                                    [rows = CsrRows(A_), from = x.data()](Index i, double* out) {
                                      *out = rows.multiply(i, from);
                                    });
}

void CsrOperator::diagonal(Vector out) const {
  for_range(A_.rows, [this, out](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index* const begin = A_.column.data() + A_.row_begin(i);
      const Index* const end = A_.column.data() + A_.row_begin(i + 1);
      const Index* const found = std::lower_bound(begin, end, i);
      out(i) = found != end && *found == i ? A_.value(found - A_.column.data()) : 0.0;
    }
  });
}

void CsrOperator::diagonal_blocks(Vector out) const {
  const Index blocks = (A_.rows + kBlock - 1) / kBlock;
  fill(out, 0.0);
  for (Index i = A_.rows; i < kBlock * blocks; ++i) {
    out(i / kBlock * kBlockSize + 4 * (i % kBlock)) = 1.0;
  }
  for_range(blocks, [this, out](Index first, Index last) {
    for (Index i = kBlock * first; i < std::min(kBlock * last, A_.rows); ++i) {
      for (Index k = A_.row_begin(i); k < A_.row_begin(i + 1); ++k) {
        if (A_.column(k) / kBlock != i / kBlock) continue;
        out(i / kBlock * kBlockSize + kBlock * (i % kBlock) + A_.column(k) % kBlock) = A_.value(k);
      }
    }
  });
}

double CsrOperator::bytes_per_apply() const {
  return 12.0 * A_.nonzeros() + 4.0 * (A_.rows + 1.0) + 16.0 * A_.rows;
}

BlockOperator::BlockOperator(BlockCsr A, bool symmetric) : A_(std::move(A)), symmetric_(symmetric) {
  NSN_THROW_UNLESS(A_.rows == A_.columns, "an operator is square, not {} x {} blocks", A_.rows,
                   A_.columns);
}

ProductSums BlockOperator::apply_with_sums(ConstVector x, ConstVector d, ConstVector q,
                                           Vector y) const {
  return multiply_rows_with_sums<kBlock>(
      A_.rows, x, d, q, y, [rows = BlockRows(A_), from = x.data()](Index i, double* out) {
        rows.multiply(i, from, out);
      });
}

void BlockOperator::diagonal(Vector out) const {
  for_range(A_.rows, [this, out](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index* const begin = A_.column.data() + A_.row_begin(i);
      const Index* const end = A_.column.data() + A_.row_begin(i + 1);
      const Index* const found = std::lower_bound(begin, end, i);
      const bool present = found != end && *found == i;
      const std::ptrdiff_t k = found - A_.column.data();
      for (Index c = 0; c < kBlock; ++c) {
        out(kBlock * i + c) = present ? A_.value(k * kBlockSize + 4 * c) : 0.0;
      }
    }
  });
}

double BlockOperator::bytes_per_apply() const {
  return 76.0 * A_.blocks() + 4.0 * (A_.rows + 1.0) + 16.0 * A_.scalar_rows();
}

}  // namespace nsn
