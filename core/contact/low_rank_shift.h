/// (W + rho I) x = b through the low rank that contacts of one pair of bodies share.
///
/// W is symmetric positive semidefinite. The 3 m rows of a group of m contacts with the same
/// neighbours are combinations of k <= 6 of them if they belong to two rigid bodies: by a
/// pivoted Cholesky factorisation of the group's diagonal block, W = X W^ X^T with W^ the kept
/// rows and columns and X block diagonal, unit at the kept rows. With G = X^T X,
///
///     c = G^-1 X^T b,    (W^ + rho G^-1) s = c,    x = b / rho + X (G^-1 s - c / rho).
///
/// The matrix in the middle has the pattern of W with unit rows for what is not kept: any backend
/// that serves W serves it, and one that leaves unit rows out gains the square to the cube of the
/// share kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/factor/block_groups.h"
#include "nsn/core/matrix/block_csr.h"

namespace nsn {

class LowRankShift {
 public:
  /// Finds groups and ranks. W must be symmetric; its values are not kept.
  explicit LowRankShift(const BlockCsr& W);

  /// Rows kept / rows.
  double share() const;
  /// A = W^ + rho G^-1 in the pattern of W; active: bits of the kept rows.
  void assemble(const BlockCsr& W, double rho, BlockCsr& A, std::span<std::uint8_t> active) const;
  /// c = G^-1 X^T b in the kept rows, zero in the others.
  void reduce(ConstVector b, Vector c) const;
  /// x = b / rho + X (G^-1 s - c / rho)
  void expand(double rho, ConstVector b, ConstVector c, ConstVector s, Vector x) const;

 private:
  struct Group {
    Index rank = 0;
    bool whole = true;           // every row is kept: X and G are unit matrices
    std::size_t X = 0;           // 3 m x rank, row by row
    std::size_t inverse = 0;     // G^-1, rank x rank
    std::size_t kept_begin = 0;  // rows of the problem, in the order of X's columns
  };

  void compress(const BlockCsr& W, Index g);
  void append(Index g, const std::vector<double>& L, const std::vector<Index>& pivot);

  BlockGroups groups_;
  std::vector<Group> group_;
  std::vector<double> X_, inverse_;
  std::vector<Index> kept_;
  std::vector<Index> place_;  // of each row among its group's kept ones, -1: not kept
  Index rows_ = 0;
};

}  // namespace nsn
