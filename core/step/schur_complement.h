/// Forms S = J H^-1 J^T + C as a 3x3 block matrix.
///
///   SchurComplement schur(J, C);           // which blocks, and where each product goes
///   schur.refresh(J, H_inverse, C);        // values only: allocates nothing, in parallel
///   BlockOperator op(schur.matrix());
///
/// Block (i, j) of S is the sum over the nodes k that constraints i and j share of
/// J_ik H_k^-1 J_jk^T, plus C_ij. It is formed for j >= i and mirrored: S is symmetric to the last
/// bit, of C the upper half counts. H^-1 is symmetric.
#pragma once

#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class SchurComplement {
 public:
  SchurComplement() = default;
  /// Symbolic: the pattern of S from the patterns of J and C (C of no blocks stands for zero).
  /// Every diagonal block is present. Throws std::invalid_argument for sizes that do not fit and
  /// for an S of more blocks than indices count.
  SchurComplement(const BlockCsr& J, const BlockCsr& C);

  /// Numeric, for values of the same patterns; adds shift >= 0 to the diagonal of S.
  void refresh(const BlockCsr& J, ConstVector H_inverse, const BlockCsr& C, double shift = 0.0);

  const BlockCsr& matrix() const { return S_; }
  double bytes_held() const;

 private:
  BlockCsr S_;
  BlockTranspose Jt_;     // rows of J^T: which constraints touch a node
  IndexVector mirror_;    // where block k of S stands transposed
  IndexVector C_target_;  // where block k of C goes
  Vector JH_;             // J H^-1, blocks as J's
};

}  // namespace nsn
