/// P = diag(S)^-1.
///
/// Rows whose diagonal entry is zero, negative or not finite get 1, so that P is positive definite
/// whatever S is; replaced() counts them. On a positive semidefinite S such a row is a zero row.
#pragma once

#include <string>

#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class Jacobi final : public Preconditioner {
 public:
  std::string_view name() const override { return "jacobi"; }
  void analyze(const LinearOperator& op) override;
  void factorize(const LinearOperator& op) override;
  void apply(ConstVector r, Vector z) const override;
  ConstVector diagonal() const override { return inverse_; }
  std::string_view note() const override { return note_; }
  double bytes_per_apply() const override { return 24.0 * size_of(inverse_); }
  double bytes_held() const override { return 8.0 * size_of(inverse_); }

  /// Rows whose diagonal could not be inverted.
  Index replaced() const { return replaced_; }

 private:
  Vector inverse_;
  Index replaced_ = 0;
  std::string note_;
};

}  // namespace nsn
