/// The Newton matrix R^T (W + diag(A)) C + E of a contact problem (ncp/block_linearization.h),
/// block by block: a factorisation that gathers its entries itself need not wait for them to be
/// stored.
#pragma once

#include <algorithm>
#include <cstddef>

#include "nsn/core/base/types.h"
#include "nsn/ncp/block_linearization.h"

namespace nsn {

/// Views what it is made of.
struct ContactMatrix {
  const double* W = nullptr;                      ///< nine per block
  const ncp::BlockLinearization* rows = nullptr;  ///< one per block row
  const double* A = nullptr;                      ///< three per block row
  const Index* transposed = nullptr;  ///< block of (j, i) for each (i, j): sym(W) serves; null: W
  bool coupled = true;                ///< false: R serves for C

  /// Block (i, j), the k-th of W, in `room` (nine numbers) or where W has it. What is in rows and
  /// columns of eliminated unknowns means nothing.
  const double* active_block(Index i, Index j, Index k, double* room) const {
    const ncp::BlockLinearization& row = rows[i];
    const ncp::BlockLinearization& column = rows[j];
    const double* const w = W + static_cast<std::ptrdiff_t>(k) * kBlockSize;
    if (i != j && !row.rotated && !column.rotated && transposed == nullptr) return w;
    double a[kBlockSize];  // in registers until it is done
    std::copy_n(w, kBlockSize, a);
    if (transposed != nullptr) {
      const double* const t = W + static_cast<std::ptrdiff_t>(transposed[k]) * kBlockSize;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) a[3 * r + c] = 0.5 * (a[3 * r + c] + t[3 * c + r]);
      }
    }
    if (i == j) {
      for (int r = 0; r < 3; ++r) a[4 * r] += A[kBlock * i + r];
    }
    if (column.rotated) {
      const double coupling = coupled ? column.coupling : 0.0;
      for (int r = 0; r < 9; r += 3) {
        const double along = column.tx * a[r + 1] + column.ty * a[r + 2];
        a[r + 2] = column.tx * a[r + 2] - column.ty * a[r + 1];
        a[r + 1] = 0.0;
        a[r] += coupling * along;
      }
    }
    if (row.rotated) {
      for (int c = 0; c < 3; ++c) {
        a[6 + c] = row.tx * a[6 + c] - row.ty * a[3 + c];
        a[3 + c] = 0.0;
      }
    }
    if (i == j) {
      for (int r = 0; r < 3; ++r) a[4 * r] += row.compliance[r];
    }
    std::copy_n(a, kBlockSize, room);
    return room;
  }

  /// All nine entries: zero in rows and columns of eliminated unknowns, but for ones on the
  /// diagonal.
  void block(Index i, Index j, Index k, double* out) const {
    const double* const a = active_block(i, j, k, out);
    if (a != out) std::copy_n(a, kBlockSize, out);
    const unsigned row = rows[i].active;
    const unsigned column = rows[j].active;
    if ((row & column) == 7U) return;
    for (unsigned r = 0; r < 3; ++r) {
      for (unsigned c = 0; c < 3; ++c) {
        if ((row >> r & column >> c & 1U) == 0) out[3 * r + c] = i == j && r == c ? 1.0 : 0.0;
      }
    }
  }
};

}  // namespace nsn
