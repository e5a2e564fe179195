/// The linear part of one step of the proximal Newton method, whatever form it is solved in.
///
/// The rows are linearised block by block (ncp/block_linearization.h) to the Newton matrix
///     R^T W_A C + E,     W_A = W + diag(A),
/// whose symmetric part A_s = R^T sym(W_A) R + E is positive definite; the rest B, the coupling m of
/// the friction bound to the normal force (and the skew part of W), has a rank of at most the
/// number of slipping contacts.
#pragma once

#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/ncp/block_linearization.h"

namespace nsn {

/// How one Newton system was solved.
struct NewtonSolve {
  bool ok = false;            ///< z is finite and worth taking
  int linear_iterations = 0;  ///< Krylov iterations; 0 for a direct solve
  LinearStatus status = LinearStatus::kBackendError;
  double relative_residual = 0.0;
};

/// W of one problem, in the form that is cheapest to solve with. Scaled: everything but
/// diagonal_blocks() sees S W S.
class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  virtual Index blocks() const = 0;
  /// 3x3 diagonal blocks of W before scaling, 9 * blocks() doubles.
  virtual void diagonal_blocks(Vector out) const = 0;
  /// From now on W is S W S with S = diag(s), 3 * blocks() numbers > 0.
  virtual void scale(ConstVector s) = 0;
  /// y = W x.
  virtual void apply(ConstVector x, Vector y) const = 0;
  /// Takes the matrix R^T W_A C + E, W_A = W + diag(A), for the solves that follow. blocks and A
  /// must live and stay until the last of them.
  virtual void prepare(const std::vector<ncp::BlockLinearization>& blocks, ConstVector A) = 0;
  /// Solves (R^T W_A C + E) z = b; z is zero in eliminated unknowns.
  [[nodiscard]] virtual NewtonSolve solve(ConstVector b, Vector z) = 0;
  /// Takes W + rho I, every row active, if this form has a cheaper way than prepare(): solves
  /// that follow are solve_shifted(). False: it has none.
  virtual bool prepare_shifted(double /*rho*/) { return false; }
  /// Solves (W + rho I) x = b; not ok if the way taken is not exact enough.
  [[nodiscard]] virtual NewtonSolve solve_shifted(ConstVector /*b*/, Vector /*x*/) { return {}; }
  /// Operations of one symmetric factorisation with every unknown active; 0: unknown.
  virtual double factorization_flops() { return 0.0; }
};

}  // namespace nsn
