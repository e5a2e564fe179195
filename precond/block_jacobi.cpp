#include "nsn/precond/block_jacobi.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/parallel.h"

namespace nsn {
namespace {

constexpr double kSmallPivot = 1e-12;

void invert_diagonal(double* a) {
  for (int c = 0; c < 3; ++c) {
    const double inverse = 1.0 / a[4 * c];
    const bool usable = a[4 * c] > 0.0 && std::isfinite(inverse) && inverse > 0.0;
    a[4 * c] = usable ? inverse : 1.0;
  }
  a[1] = a[2] = a[3] = a[5] = a[6] = a[7] = 0.0;
}

}  // namespace

bool invert_spd_block(double* a) {
  // a = L D L^T with unit lower triangular L
  const double d0 = a[0];
  if (!(d0 > 0.0) || !std::isfinite(1.0 / d0)) return false;
  const double l10 = a[3] / d0;
  const double l20 = a[6] / d0;
  const double d1 = a[4] - l10 * a[3];
  if (!(d1 > kSmallPivot * a[4])) return false;
  const double l21 = (a[7] - l20 * a[3]) / d1;
  const double d2 = a[8] - l20 * a[6] - l21 * l21 * d1;
  if (!(d2 > kSmallPivot * a[8])) return false;
  // L^-1 = [1; m10 1; m20 m21 1], a^-1 = L^-T D^-1 L^-1
  const double m10 = -l10;
  const double m21 = -l21;
  const double m20 = l10 * l21 - l20;
  const double e0 = 1.0 / d0;
  const double e1 = 1.0 / d1;
  const double e2 = 1.0 / d2;
  const double i00 = e0 + m10 * m10 * e1 + m20 * m20 * e2;
  const double i10 = m10 * e1 + m20 * m21 * e2;
  const double i20 = m20 * e2;
  const double i11 = e1 + m21 * m21 * e2;
  const double i21 = m21 * e2;
  if (!std::isfinite(i00 + i10 + i20 + i11 + i21 + e2)) return false;
  a[0] = i00;
  a[1] = a[3] = i10;
  a[2] = a[6] = i20;
  a[4] = i11;
  a[5] = a[7] = i21;
  a[8] = e2;
  return true;
}

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
