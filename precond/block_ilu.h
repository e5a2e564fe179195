/// P = (L U)^-1, the incomplete factors of S in 3x3 blocks: no block where S has none.
///
/// Row by row, S_ik <- S_ik U_kk^-1 and S_ij <- S_ij - S_ik U_kj for the blocks that are there; the
/// inverse of U_ii is kept. Where S couples everything that its elimination would fill in, as
/// contacts of the same two bodies and chains of joints do, L U is S. P is not symmetric: for
/// gmres.
///
/// A diagonal block that is singular to rounding is replaced by its diagonal, and an entry of that
/// which is zero or not finite by 1; replaced() counts such blocks.
#pragma once

#include <string>
#include <vector>

#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class BlockIlu final : public Preconditioner {
 public:
  std::string_view name() const override { return "block-ilu"; }
  bool needs_entries() const override { return true; }
  void analyze(const LinearOperator& op) override;
  /// Allocates only where S is stored in scalars.
  void factorize(const LinearOperator& op) override;
  void apply(ConstVector r, Vector z) const override;
  std::string_view note() const override { return note_; }
  double bytes_per_apply() const override;
  double bytes_held() const override;

  /// Diagonal blocks that could not be inverted.
  Index replaced() const { return replaced_; }

 private:
  void take_values(const BlockCsr& S);
  void eliminate(Index i);

  Index rows_ = 0;                 // scalar
  std::vector<Index> begin_{0};    // of each block row
  std::vector<Index> column_;      // ascending, the diagonal always there
  std::vector<Index> diagonal_;    // place of block (i, i)
  std::vector<Index> source_;      // block of S, -1: none
  std::vector<double> value_;      // L below the diagonal, U above, inverse of U_ii on it
  std::vector<Index> place_;       // of each column in the row at work, -1: none
  mutable std::vector<double> x_;  // 3 per block row
  Index replaced_ = 0;
  std::string note_;
};

}  // namespace nsn
