#include "nsn/precond/jacobi.h"

#include <fmt/format.h>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/matrix/block_inverse.h"

namespace nsn {

void Jacobi::analyze(const LinearOperator& op) {
  inverse_ = allocate_vector("inverse_diagonal", static_cast<std::size_t>(op.rows()));
}

void Jacobi::factorize(const LinearOperator& op) {
  op.diagonal(inverse_);
  double* const d = inverse_.data();
  const auto bad = sum_range<1>(size_of(inverse_), [=](Index first, Index last, auto& total) {
    for (Index i = first; i < last; ++i) {
      total[0] += invert_entry(d[i], d[i]) ? 0.0 : 1.0;
    }
  });
  replaced_ = static_cast<Index>(bad[0]);
  note_.clear();
  if (replaced_ > 0) {
    note_ = fmt::format(
        "rows without a positive diagonal entry: {}; the Jacobi preconditioner takes 1 there",
        replaced_);
  }
}

void Jacobi::apply(ConstVector r, Vector z) const {
  const double* const d = inverse_.data();
  const double* const from = r.data();
  double* const to = z.data();
  for_range(size_of(inverse_), [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) to[i] = d[i] * from[i];
  });
}

}  // namespace nsn
