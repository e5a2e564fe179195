/// The three forms of S on a device, and one block row of each times a vector.
///
///   BlockMatrix     3x3 blocks in compressed rows           8.4 bytes an entry in double
///   CsrMatrix       scalar compressed rows                  12
///   FactoredMatrix  S = J H^-1 J^T + C, never formed        J is read twice
///
/// A group of `lanes` neighbouring threads (a power of two, at most a warp) forms one block row: it
/// walks through the row's entries side by side, so that neighbours read neighbouring numbers, and
/// adds up by shuffles. Values are stored as T (float or double), sums are double. Vectors are
/// padded to whole block rows.
#pragma once

#include "nsn/backends/cuda/array.h"

namespace nsn::cuda {

/// Sum over the lanes of a group; every lane gets the result, bit for bit the same.
template <int K, class Thread>
NSN_DEVICE void sum_over_group(Thread& thread, double (&v)[K], int lanes) {
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    double other[K];
    thread.shuffle_xor(v, other, offset, lanes);
    for (int k = 0; k < K; ++k) v[k] += other[k];
  }
}

/// A of 3x3 blocks. `source` empty: block k is value[9k ... 9k+8], row by row. Otherwise A is the
/// transpose of the matrix that owns the values: block k is the transpose of its block source[k].
template <class T>
struct BlockMatrix {
  int rows = 0;                ///< block rows
  Array<const int> row_begin;  ///< rows + 1
  Array<const int> column;     ///< blocks
  Array<const int> source;     ///< blocks, or empty
  Array<const T> value;        ///< 9 per block

  template <class Thread>
  NSN_DEVICE Triple row_times(Thread& thread, int row, const Array<double>& x, int lanes) const {
    const int lane = thread.thread() % lanes;
    const bool transposed = source.size > 0;
    double sum[3] = {0.0, 0.0, 0.0};
    const int end = 9 * row_begin[row + 1];
    for (int e = 9 * row_begin[row] + lane; e < end; e += lanes) {
      const int block = e / 9;
      const int major = (e % 9) / 3;
      const int minor = e % 3;
      const int r = transposed ? minor : major;
      const int c = transposed ? major : minor;
      const int at = transposed ? 9 * source[block] + e % 9 : e;
      const double product = static_cast<double>(value[at]) * x[3 * column[block] + c];
      for (int k = 0; k < 3; ++k) sum[k] += k == r ? product : 0.0;
    }
    sum_over_group(thread, sum, lanes);
    return {{sum[0], sum[1], sum[2]}};
  }
};

/// S by 3x3 blocks.
template <class T>
struct BlockForm {
  using Storage = T;
  static constexpr bool kFactored = false;
  BlockMatrix<T> S;

  NSN_DEVICE int nodes() const { return 0; }
  template <class Thread>
  NSN_DEVICE void node_row(Thread&, int, const Array<double>&, int) const {}
  template <class Thread>
  NSN_DEVICE Triple row_times(Thread& thread, int row, const Array<double>& x, int lanes) const {
    return S.row_times(thread, row, x, lanes);
  }
};

/// S by scalar compressed rows; block row i is rows 3i, 3i+1, 3i+2 as far as they exist.
template <class T>
struct CsrForm {
  using Storage = T;
  static constexpr bool kFactored = false;
  int rows = 0;                ///< scalar rows
  Array<const int> row_begin;  ///< rows + 1
  Array<const int> column;
  Array<const T> value;

  NSN_DEVICE int nodes() const { return 0; }
  template <class Thread>
  NSN_DEVICE void node_row(Thread&, int, const Array<double>&, int) const {}
  template <class Thread>
  NSN_DEVICE Triple row_times(Thread& thread, int row, const Array<double>& x, int lanes) const {
    const int lane = thread.thread() % lanes;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
      const int i = 3 * row + k;
      if (i >= rows) continue;
      const int end = row_begin[i + 1];
      for (int e = row_begin[i] + lane; e < end; e += lanes) {
        sum[k] += static_cast<double>(value[e]) * x[column[e]];
      }
    }
    sum_over_group(thread, sum, lanes);
    return {{sum[0], sum[1], sum[2]}};
  }
};

/// S = J H^-1 J^T + C in two passes with a barrier between them: t = H^-1 J^T x by nodes
/// (node_row), then J t + C x by block rows (row_times).
template <class T>
struct FactoredForm {
  using Storage = T;
  static constexpr bool kFactored = true;
  BlockMatrix<T> J;
  BlockMatrix<T> Jt;         ///< pattern of J^T, values of J
  Array<const T> H_inverse;  ///< 9 per node
  BlockMatrix<T> C;          ///< block diagonal or a little more; no rows: zero
  Array<double> t;           ///< 3 per node

  NSN_DEVICE int nodes() const { return Jt.rows; }
  /// t = H^-1 J^T x for one node.
  template <class Thread>
  NSN_DEVICE void node_row(Thread& thread, int node, const Array<double>& x, int lanes) const {
    const Triple sum = Jt.row_times(thread, node, x, lanes);
    const int lane = thread.thread() % lanes;
    for (int r = lane; r < 3; r += lanes) {
      double out = 0.0;
      for (int c = 0; c < 3; ++c) {
        out += static_cast<double>(H_inverse[9 * node + 3 * r + c]) * sum.v[c];
      }
      t.set(3 * node + r, out);
    }
  }
  template <class Thread>
  NSN_DEVICE Triple row_times(Thread& thread, int row, const Array<double>& x, int lanes) const {
    Triple sum = J.row_times(thread, row, t, lanes);
    if (C.rows > 0) {
      const Triple extra = C.row_times(thread, row, x, lanes);
      for (int k = 0; k < 3; ++k) sum.v[k] += extra.v[k];
    }
    return sum;
  }
};

}  // namespace nsn::cuda
