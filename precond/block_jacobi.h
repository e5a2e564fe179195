/// P = inverses of the 3x3 diagonal blocks of S: one contact, one particle, half a rigid body each.
///
/// Each block is inverted through its Cholesky factor L D L^T. A block that is singular or
/// indefinite to rounding (a pivot at or below 1e-12 of the diagonal entry it came from, as with
/// redundant rows inside one contact) is replaced by the inverse of its diagonal, and a diagonal
/// entry that is zero, negative or not finite by 1: P is positive definite whatever S is.
/// replaced() counts such blocks.
#pragma once

#include <string>

#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class BlockJacobi final : public Preconditioner {
 public:
  std::string_view name() const override { return "block-jacobi"; }
  void analyze(const LinearOperator& op) override;
  void factorize(const LinearOperator& op) override;
  void apply(ConstVector r, Vector z) const override;
  std::string_view note() const override { return note_; }
  double bytes_per_apply() const override { return 40.0 * rows_; }
  double bytes_held() const override { return 8.0 * size_of(inverse_); }

  /// Blocks that could not be inverted.
  Index replaced() const { return replaced_; }

 private:
  Index rows_ = 0;
  Vector inverse_;  // 9 doubles a block, row by row
  Index replaced_ = 0;
  std::string note_;
};

}  // namespace nsn
