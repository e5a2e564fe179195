/// y = S x row by row, for operators that override apply() and apply_with_sums().
#pragma once

#include "nsn/core/linear/linear_operator.h"

namespace nsn {

/// row(i, out) writes the `Side` entries of block row i of S x.
template <Index Side, class Row>
void multiply_rows(Index rows, Vector y, const Row& row) {
  double* const to = y.data();
  for_range(rows, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) row(i, to + static_cast<std::ptrdiff_t>(i) * Side);
  });
}

/// The same with the sums of LinearOperator::apply_with_sums(), taken while the row is at hand.
template <Index Side, class Row>
ProductSums multiply_rows_with_sums(Index rows, ConstVector x, ConstVector d, ConstVector q,
                                    Vector y, const Row& row) {
  const double* const px = x.data();
  const double* const pd = d.data();
  const double* const pq = q.data();  // null without a q
  double* const to = y.data();
  return sum_products(rows, [=](Index first, Index last, ProductSums& sum) {
    for (Index i = first; i < last; ++i) {
      double* const out = to + static_cast<std::ptrdiff_t>(i) * Side;
      row(i, out);
      for (Index r = 0; r < Side; ++r) add_row(px, pd, pq, Side * i + r, out[r], sum);
    }
  });
}

}  // namespace nsn
