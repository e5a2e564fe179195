#include "nsn/precond/block_jacobi.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/matrix/block_inverse.h"

namespace nsn {
void BlockJacobi::analyze(const LinearOperator& op) {
  rows_ = op.rows();
  const auto blocks = static_cast<std::size_t>((rows_ + kBlock - 1) / kBlock);
  inverse_ = allocate_vector("inverse_blocks", kBlockSize * blocks);
}

void BlockJacobi::factorize(const LinearOperator& op) {
  op.diagonal_blocks(inverse_);
  double* const blocks = inverse_.data();
  const Index count = size_of(inverse_) / kBlockSize;
  const auto bad = sum_range<1>(count, [=](Index first, Index last, auto& total) {
    for (Index i = first; i < last; ++i) {
      double* const a = blocks + static_cast<std::ptrdiff_t>(i) * kBlockSize;
      if (invert_spd_block(a)) continue;
      invert_diagonal(a);
      total[0] += 1.0;
    }
  });
  replaced_ = static_cast<Index>(bad[0]);
  note_.clear();
  if (replaced_ > 0) {
    note_ = fmt::format(
        "{} diagonal blocks are not positive definite; block-Jacobi takes their diagonal there",
        replaced_);
  }
}

void BlockJacobi::apply(ConstVector r, Vector z) const {
  const double* const blocks = inverse_.data();
  const double* const from = r.data();
  double* const to = z.data();
  const Index rows = rows_;
  for_range(size_of(inverse_) / kBlockSize, [=](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double* const a = blocks + static_cast<std::ptrdiff_t>(i) * kBlockSize;
      const Index at = kBlock * i;
      const Index width = std::min(kBlock, rows - at);  // the last block may be cut off
      if (width == kBlock) {
        const double r0 = from[at];
        const double r1 = from[at + 1];
        const double r2 = from[at + 2];
        to[at] = a[0] * r0 + a[1] * r1 + a[2] * r2;
        to[at + 1] = a[3] * r0 + a[4] * r1 + a[5] * r2;
        to[at + 2] = a[6] * r0 + a[7] * r1 + a[8] * r2;
        continue;
      }
      for (Index c = 0; c < width; ++c) {
        double sum = 0.0;
        for (Index k = 0; k < width; ++k) sum += a[kBlock * c + k] * from[at + k];
        to[at + c] = sum;
      }
    }
  });
}

}  // namespace nsn
