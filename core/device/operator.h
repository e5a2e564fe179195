/// What a linear solver of a device sees of S x = b: spans of the device's memory and the bodies of
/// a product. It owns nothing.
///
///   factored   S = J H^-1 J^T + C       J by rows and by nodes, C block diagonal
///   entries    S in blocks, rows by columns
#pragma once

#include <cstdint>

#include "nsn/core/device/space.h"

namespace nsn {

template <class D, class Real>
struct DeviceOperator {
  Index rows = 0;        ///< row blocks of S
  Index nodes = 0;       ///< of the factored form
  bool entries = false;  ///< the blocks of S are there; else its factors are
  bool symmetric = true;
  std::uint64_t pattern_id = 0;
  std::uint64_t value_id = 0;

  Span<D, const Index> row_begin, column;                 ///< J, block row by block row
  Span<D, const Index> node_begin, node_row, node_block;  ///< its blocks node by node
  Span<D, const Real> J, H_inverse, C;                    ///< 9 a block, a node, a row
  Span<D, const Real> Jt;                                 ///< blocks of J^T, node by node
  Span<D, const Index> S_begin, S_column;
  Span<D, const Real> S;

  /// Launches a product takes: nodes first, unless the entries are there.
  NSN_FUNCTION bool two_passes() const { return !entries; }

  /// J^T v at node n, by the node's list: one order on every device.
  template <class View>
  NSN_INLINE Vector3<Real> gather(Index n, const View& v) const {
    Vector3<Real> sum;
    for (Index e = node_begin(n); e < node_begin(n + 1); ++e) {
      add_product(Jt, kBlockSize * e, load_vector(v, kBlock * node_row(e)), sum);
    }
    return sum;
  }
  /// node = H^-1 J^T v
  template <class View>
  NSN_FUNCTION void product_node(Index n, const View& v, const Span<D, Real>& node) const {
    Vector3<Real> out;
    add_product(H_inverse, kBlockSize * n, gather(n, v), out);
    store_vector(node, kBlock * n, out);
  }
  /// Row block i of S v; node = H^-1 J^T v unless the entries are there.
  template <class View>
  NSN_INLINE Vector3<Real> product_row(Index i, const View& v, const Span<D, Real>& node) const {
    Vector3<Real> out;
    if (entries) {
      for (Index e = S_begin(i); e < S_begin(i + 1); ++e) {
        add_product(S, kBlockSize * e, load_vector(v, kBlock * S_column(e)), out);
      }
      return out;
    }
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
      add_product(J, kBlockSize * k, load_vector(node, kBlock * column(k)), out);
    }
    add_product(C, kBlockSize * i, load_vector(v, kBlock * i), out);
    return out;
  }
  /// Block (i, i) of S; of the factored form only its diagonal unless whole.
  NSN_FUNCTION Matrix3<Real> diagonal_block(Index i, bool whole) const {
    Matrix3<Real> B;
    if (entries) {
      for (Index e = S_begin(i); e < S_begin(i + 1); ++e) {
        if (S_column(e) == i) B = load_block(S, kBlockSize * e);
      }
      return B;
    }
    B = load_block(C, kBlockSize * i);
    for (Index k = row_begin(i); k < row_begin(i + 1); ++k) {
      const Matrix3<Real> J_k = load_block(J, kBlockSize * k);
      const Matrix3<Real> JH = J_k * load_block(H_inverse, kBlockSize * column(k));
      if (whole) B += JH * transpose(J_k);
      for (int c = 0; c < 3 && !whole; ++c) {
        B(c, c) += JH(c, 0) * J_k(c, 0) + JH(c, 1) * J_k(c, 1) + JH(c, 2) * J_k(c, 2);
      }
    }
    return B;
  }
};

}  // namespace nsn
