/// The Schur complement S = J H^-1 J^T + C as a product, never formed:
///
///   y = J (H^-1 (J^T x)) + C x
///
/// J has one block row per constraint (contact 2-4 blocks, tetrahedron 4, joint 4-8) and one block
/// column per node; H^-1 is block diagonal, nine doubles a node; C is a block matrix over the
/// constraints, as a rule its diagonal. A product reads J twice (J and its transpose, 152 bytes a
/// block) where the formed S has a block for each pair of constraints that share a node: above five
/// or six contacts per body the factored form moves fewer bytes, for tetrahedra about fifteen times
/// fewer.
///
/// An H that is not block diagonal has no place here: its H^-1 is a solve, and the operator for it
/// another class over the same J.
#pragma once

#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class SchurOperator final : public LinearOperator {
 public:
  /// Views J, H_inverse (9 * J.columns doubles, symmetric blocks, row by row) and C; keeps a
  /// transpose of J. C of no blocks stands for zero. Throws std::invalid_argument for sizes that do
  /// not fit.
  SchurOperator(BlockCsr J, Vector H_inverse, BlockCsr C);

  /// The values of J, H_inverse or C were changed in place, the patterns were not: refreshes the
  /// transpose. Allocates nothing.
  void values_changed();

  Index rows() const override { return J_.scalar_rows(); }
  void apply(ConstVector x, Vector y) const override;
  ProductSums apply_with_sums(ConstVector x, ConstVector d, ConstVector q, Vector y) const override;
  /// Both are exact: sums over the blocks of one row of J, J_ik H_k^-1 J_ik^T.
  void diagonal(Vector out) const override;
  void diagonal_blocks(Vector out) const override;
  std::uint64_t pattern_id() const override { return pattern_id_; }
  std::uint64_t value_id() const override { return value_id_; }
  double bytes_per_apply() const override;
  const SchurOperator* factors() const override { return this; }

  const BlockCsr& J() const { return J_; }
  const BlockTranspose& Jt() const { return Jt_; }
  ConstVector H_inverse() const { return H_inverse_; }
  /// Where all nodes are points: the points, 3 per node, m; empty: not so, or not known.
  ConstVector node_positions() const { return node_positions_; }
  void set_node_positions(ConstVector positions) { node_positions_ = positions; }
  const BlockCsr& C() const { return C_; }

 private:
  class Rows;
  void apply_transposed(const double* x) const;

  BlockCsr J_;
  BlockTranspose Jt_;
  Vector H_inverse_;
  BlockCsr C_;
  ConstVector node_positions_;
  Vector v_;  // H^-1 J^T x: one product at a time
  std::uint64_t pattern_id_ = next_operator_id();
  std::uint64_t value_id_ = next_operator_id();
};

}  // namespace nsn
