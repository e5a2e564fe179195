/// Incomplete factors L D U of S + shift diag S in W x W blocks: no block where S has none.
///
/// Row by row, for the blocks that S has:
///
///   L_ik = (S_ik - sum_(m<k) L_im U_mk) D_k^-1,   D_i = S_ii - sum L_im U_mi,   U_ij likewise
///
/// so that S ~ (1 + L) (D + U). Where definite factors are wanted, S is symmetric: L_ik = (D_k^-1 U_ki)^T
/// is taken from U, half of the work is spared, and the factors are symmetric and, with every D_i,
/// positive definite, however much the entries grow. Blocks of L and U that are zero are left out: the rows of
/// contacts without force couple to nothing, though S has blocks for them. L, D^-1 and U lie apart, so that each sweep
/// reads one array from end to end.
#pragma once

#include <span>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn {

/// A square matrix in rows of W x W blocks, ascending columns.
struct BlockRowsView {
  std::span<const Index> begin;   ///< rows + 1
  std::span<const Index> column;  ///< of each block
  const double* value = nullptr;  ///< W * W a block, row by row

  Index rows() const { return static_cast<Index>(begin.size()) - 1; }
};

/// Which blocks D_i are taken.
struct Pivots {
  bool definite = false;  ///< positive definite ones; else all that are regular, to rounding
  /// Of the diagonal blocks of S alone, others replaced by their diagonal; else others end the
  /// factorisation.
  bool forced = false;
};

/// W = 3 for blocks, 1 for scalars.
template <int W>
class IncompleteLu {
 public:
  /// Allocates for the pattern of S.
  void analyze(const BlockRowsView& S);
  /// False, and nothing to use, if a block ended it. Allocates nothing.
  bool factorize(const BlockRowsView& S, double shift, Pivots pivots);
  /// z = (L D U)^-1 r for W entries per row; z and r do not overlap.
  void apply(const double* r, double* z) const;

  /// Blocks that the last factorisation replaced.
  Index replaced() const { return replaced_; }
  double bytes_per_apply() const;
  double bytes_held() const;

 private:
  static constexpr int kSize = W * W;
  double* lower(Index k) { return lower_.data() + kSize * to_size(k); }
  double* upper(Index k) { return upper_.data() + kSize * to_size(k); }
  void take_row(const BlockRowsView& S, Index i, double shift, Pivots pivots);
  void eliminate_row(Index i);
  void eliminate_symmetric_row(Index i);
  bool across(Index k, Index i, Index& place);
  void drop_zeros(Index i);
  bool invert_pivot(Index i, const double* diagonal, Pivots pivots);
  void sweep_down(const double* r, double* z) const;
  void sweep_up(double* z) const;

  Index rows_ = 0;                                 // of blocks
  std::vector<Index> lower_begin_, lower_column_;  // L, by rows; room for every block that S has
  std::vector<Index> upper_begin_, upper_column_;  // U, by rows
  std::vector<double> lower_, upper_;
  std::vector<double> pivot_;  // D, then D^-1
  bool symmetric_ = false;     // every block of S has one across the diagonal
  std::vector<Index>
      next_;  // of each row of U: its first block from the column of the row at work on
  std::vector<Index> place_;  // of each column among L or U of the row at work, -1: none
  Index replaced_ = 0;
};

extern template class IncompleteLu<1>;
extern template class IncompleteLu<3>;

}  // namespace nsn
