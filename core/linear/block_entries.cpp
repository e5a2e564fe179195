#include "nsn/core/linear/block_entries.h"

#include <algorithm>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

/// Place of the value (row, column) of a scalar matrix among the values of its block matrix.
Index place(const BlockCsr& A, Index row, Index column) {
  const Index* const begin = A.column.data() + A.row_begin(row / kBlock);
  const Index* const end = A.column.data() + A.row_begin(row / kBlock + 1);
  const Index* const found = std::lower_bound(begin, end, column / kBlock);
  NSN_ASSERT(found != end && *found == column / kBlock);
  const auto block = static_cast<Index>(found - A.column.data());
  return block * kBlockSize + kBlock * (row % kBlock) + column % kBlock;
}

}  // namespace

void BlockEntries::analyze(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.has_entries(), "a matrix-free operator of {} rows has no entries", op.rows());
  rows_ = op.rows();
  if (op.blocks() != nullptr) {
    A_ = *op.blocks();
    target_ = IndexVector();
    return;
  }
  const Csr& S = *op.scalars();
  A_ = to_blocks(S);
  target_ = IndexVector("target", S.column.extent(0));
  for (Index i = 0; i < S.rows; ++i) {
    for (Index k = S.row_begin(i); k < S.row_begin(i + 1); ++k) {
      target_(k) = place(A_, i, S.column(k));
    }
  }
}

const BlockCsr& BlockEntries::update(const LinearOperator& op) {
  if (op.blocks() != nullptr) {
    A_ = *op.blocks();
    return A_;
  }
  const Csr& S = *op.scalars();
  NSN_THROW_UNLESS(S.column.extent(0) == target_.extent(0),
                   "a matrix of {} entries where {} were analysed", S.column.extent(0),
                   target_.extent(0));
  Kokkos::deep_copy(A_.value, 0.0);
  for (Index k = 0; k < S.nonzeros(); ++k) A_.value(target_(k)) = S.value(k);
  for (Index i = rows_; i < A_.scalar_rows(); ++i) A_.value(place(A_, i, i)) = 1.0;
  return A_;
}

double BlockEntries::bytes_held() const {
  if (target_.extent(0) == 0) return 0.0;
  return 8.0 * static_cast<double>(A_.value.extent(0)) +
         4.0 *
             static_cast<double>(A_.column.extent(0) + A_.row_begin.extent(0) + target_.extent(0));
}

}  // namespace nsn
