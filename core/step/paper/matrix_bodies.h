/// The Newton matrix in blocks (core/step/paper/device_step.h): compliance form
/// S = L J H^-1 J^T R^T + C, stiffness form S = H + J^T R^T C^-1 L J, one block of its upper half and
/// that block's mirror at a time.
#pragma once

#include "nsn/core/device/operator.h"
#include "nsn/core/step/paper/paper_bodies.h"

namespace nsn::paper {

template <class D, class Real>
struct MatrixBodies {
  StepBodies<D, Real> step;
  Span<D, const Index> row_begin, column;                  ///< S
  Span<D, const Index> upper, mirror, begin, left, right;  ///< core/step/step_assembly.h
  Span<D, Real> S;
  Span<D, Real> Y;        ///< 9 a block of J: what stands left in a product
  Span<D, Real> K;        ///< stiffness form, 9 a row: R^T C^-1 L
  Span<D, Real> pushed;   ///< stiffness form, 3 a row: R^T C^-1 h
  bool add_to_S = false;  ///< stiffness form: S holds a coupling part, upper blocks

  /// For a linear solver; rows: those of S. Its ids are the caller's.
  DeviceOperator<D, Real> as_operator(bool entries, Index rows) const {
    DeviceOperator<D, Real> op;
    op.rows = rows;
    op.nodes = entries ? 0 : step.at.nodes;
    op.entries = entries;
    op.symmetric = step.symmetric();
    op.row_begin = step.at.row_begin;
    op.column = step.at.column;
    op.node_begin = step.at.node_begin;
    op.node_row = step.at.node_row;
    op.node_block = step.at.node_block;
    op.J = step.sJ;
    op.Jt = step.sJt;
    op.H_inverse = step.mass.inverse;
    op.C = step.C;
    op.S_begin = row_begin;
    op.S_column = column;
    op.S = S;
    return op;
  }

  // ---- compliance form

  /// Y = L J H^-1
  NSN_FUNCTION void factor_row(Index i) const {
    for (Index k = step.at.row_begin(i); k < step.at.row_begin(i + 1); ++k) {
      store_block(Y, kBlockSize * k,
                  load_block(step.sJ, kBlockSize * k) *
                      load_block(step.mass.inverse, kBlockSize * step.at.column(k)));
    }
  }
  NSN_FUNCTION void assemble_compliance(Index k) const {
    const bool symmetric = step.symmetric();
    const Span<D, Real> other = symmetric ? step.sJ : step.J;
    Matrix3<Real> sum;
    Matrix3<Real> below;
    for (Index e = begin(k); e < begin(k + 1); ++e) {
      sum +=
          load_block(Y, kBlockSize * left(e)) * transpose(load_block(other, kBlockSize * right(e)));
      if (symmetric) continue;
      below +=
          load_block(Y, kBlockSize * right(e)) * transpose(load_block(other, kBlockSize * left(e)));
    }
    if (upper(k) == mirror(k)) {
      const Index i = column(upper(k));
      if (symmetric) make_symmetric(sum);
      store_block(S, kBlockSize * upper(k), sum + load_block(step.C, kBlockSize * i));
      return;
    }
    store_block(S, kBlockSize * upper(k), sum);
    store_block(S, kBlockSize * mirror(k), symmetric ? transpose(sum) : below);
  }
  /// Rounding leaves the products of one block unsymmetric in the last digit.
  NSN_FUNCTION static void make_symmetric(Matrix3<Real>& A) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) A(i, j) = A(j, i) = Real(0.5) * (A(i, j) + A(j, i));
    }
  }

  // ---- stiffness form

  NSN_FUNCTION void stiffness_row(Index i) const {
    step.regularise(i, step.J);
    const Matrix3<Real> L_i = load_block(step.L, kBlockSize * i);
    const Matrix3<Real> R = step.symmetric() ? L_i : identity<3, Real>();
    const Matrix3<Real> RC = transpose(R) * inverse(load_block(step.C, kBlockSize * i));
    const Matrix3<Real> K_i = RC * L_i;
    store_block(K, kBlockSize * i, K_i);
    store_vector(pushed, kBlock * i, RC * load_vector(step.h, kBlock * i));
    for (Index k = step.at.row_begin(i); k < step.at.row_begin(i + 1); ++k) {
      const Matrix3<Real> J_k = load_block(step.J, kBlockSize * k);
      store_block(Y, kBlockSize * k, transpose(J_k) * K_i);
      store_block(step.sJ, kBlockSize * k, L_i * J_k);  // for who exports it
    }
  }
  NSN_FUNCTION void assemble_stiffness(Index k) const {
    const bool symmetric = step.symmetric();
    Matrix3<Real> sum;
    Matrix3<Real> below;
    for (Index e = begin(k); e < begin(k + 1); ++e) {
      sum += load_block(Y, kBlockSize * left(e)) * load_block(step.J, kBlockSize * right(e));
      if (symmetric) continue;
      below += load_block(Y, kBlockSize * right(e)) * load_block(step.J, kBlockSize * left(e));
    }
    if (add_to_S) {
      const Matrix3<Real> coupling = load_block(S, kBlockSize * upper(k));
      sum += coupling;
      below += transpose(coupling);
    }
    if (upper(k) == mirror(k)) {
      sum += load_block(step.mass.H, kBlockSize * column(upper(k)));
      if (symmetric) make_symmetric(sum);
      store_block(S, kBlockSize * upper(k), sum);
      return;
    }
    store_block(S, kBlockSize * upper(k), sum);
    store_block(S, kBlockSize * mirror(k), symmetric ? transpose(sum) : below);
  }
  NSN_FUNCTION void right_side_node(Index n) const {
    store_vector(step.b, kBlock * n,
                 Real(-1) * load_vector(step.g, kBlock * n) - step.gather(n, step.J, pushed));
  }
};

}  // namespace nsn::paper
