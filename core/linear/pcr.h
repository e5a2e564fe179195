/// Preconditioned conjugate residuals for symmetric positive semidefinite A: among all x in the
/// Krylov space the one of smallest |b - A x|_P, |r|_P = sqrt(r^T P r), P close to the inverse of
/// A.
///
///   z = P r,  w = A z
///   beta  = (z,w) / (z,w)_old
///   delta = (w,Pw) + 2 beta (w,Pq) + beta^2 (q,Pq)       = (Ap, P Ap) of the new p
///   alpha = ((z,w) + beta (z,q)) / delta
///   p = z + beta p,   q = w + beta q                      q = A p
///   x = x + alpha p,  z = z - alpha P q
///
/// All sums of an iteration are formed together, inside the product: one synchronisation. (In exact
/// arithmetic (w,Pq) = -beta (q,Pq) and (z,q) = 0, which would save three sums and 8 bytes per row;
/// on singular contact matrices rounding then costs a tenth more iterations.) |r|_P never rises;
/// |r|_2 may, unless P is a multiple of the unit matrix. With a diagonal P the residual itself is
/// not stored (r = P^-1 z): an iteration is one vector kernel of 80 n bytes and one product with
/// 32 n bytes of vectors. Any other P costs one application and 168 n bytes.
///
/// Singular A is no special case while b is in its range. Otherwise r tends to the least-squares
/// residual of the P-norm, A P r = 0, which shows as
///
///   |A z|_P <= tol |A|_P |r|_P,     tol = min(rtol, 1e-8),  |A|_P the largest ratio met so far,
///
/// or, where rounding does not let it fall so far, as an |A z|_P that rises tenfold above a minimum
/// of at most 1e-7 |A|_P |r|_P. The least squares of |r|_2 are another vector: the iteration goes
/// on from there with P = 1, and kConvergedLeastSquares means |A r| <= tol |A| |r|.
///
/// A claim of convergence is only believed of a residual recomputed from x: a claim that turns out
/// false restarts the iteration from x, and ends in kStagnation when that stops helping.
///
/// The scalars and all decisions are in core/linear/pcr_recurrence.h; here are the vectors.
#pragma once

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/pcr_recurrence.h"
#include "nsn/core/linear/preconditioner.h"

namespace nsn {

struct PcrOptions {
  /// Where b is not in the range of A, return the least-squares solution of least |x|: the second
  /// part of the iteration starts from x = 0, and ends with x - (r^T x / r^T r) r.
  bool lift = false;
};

class Pcr {
 public:
  /// Workspace for n rows; the only function that allocates, but for a monitor's product |A r|.
  void allocate(Index n, bool diagonal_preconditioner);

  /// Starts from x; fills status, iterations, recurrence_residual, bytes_moved and detail. x is
  /// finite on return if it was on entry.
  void solve(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
             const LinearControl& control, const PcrOptions& options, const Monitor& monitor,
             LinearReport& report);

  double bytes_held() const;

 private:
  struct Problem;
  void begin(const Problem& problem);
  void evaluate(const Problem& problem);
  void update_diagonal(const Problem& problem);
  void update_general(const Problem& problem);
  double exact_delta(const Problem& problem);
  void lift(const Problem& problem);
  void tell(const Problem& problem);
  void iterate(const Problem& problem, LinearReport& report);
  void explain(const Problem& problem, LinearReport& report) const;

  Vector z_, w_, p_, q_, best_x_;
  Vector ones_;         // the P of the second part
  Vector r_, u_, s_;    // general P only: r, P w, P q
  Vector true_r_, Ar_;  // for a monitor only
  ProductSums sums_;    // of the present z, w and of q
  PcrState state_;
  double bytes_ = 0.0;
};

}  // namespace nsn
