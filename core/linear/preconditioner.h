/// P of a Krylov solver: z = P r with P close to the inverse of S; for pcg and pcr symmetric
/// positive definite.
#pragma once

#include <string_view>

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_operator.h"

namespace nsn {

/// What the iteration around P asks of it.
struct PreconditionerOptions {
  bool definite = false;  ///< P has to be positive definite where S is semidefinite
  double shift = 0.0;     ///< incomplete factors: of S + shift diag S, 0...1
};

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual std::string_view name() const = 0;

  /// True if matrix-free operators are refused; the solver that uses P then refuses them too.
  virtual bool needs_entries() const { return false; }

  /// Allocates for op's pattern.
  virtual void analyze(const LinearOperator& op) = 0;
  /// Takes op's values.
  virtual void factorize(const LinearOperator& op) = 0;
  /// z = P r. Allocates nothing.
  virtual void apply(ConstVector r, Vector z) const = 0;

  /// Diagonal of P if P is diagonal (a Krylov loop then fuses it), an empty view otherwise.
  virtual ConstVector diagonal() const { return {}; }
  /// What the last factorize() had to replace to keep P positive definite, for a person; empty when
  /// P is what its name says.
  virtual std::string_view note() const { return {}; }
  virtual double bytes_per_apply() const = 0;
  virtual double bytes_held() const = 0;
};

}  // namespace nsn
