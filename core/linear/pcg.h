/// Preconditioned conjugate gradients for symmetric positive definite A (semidefinite while b is in
/// its range): among all x in the Krylov space the one nearest to the solution in sqrt(e^T A e).
///
///   q = A p,            alpha = (r,z) / (p,q)
///   x = x + alpha p,    r = r - alpha q,   z = P r
///   beta = (r,z) / (r,z)_old,              p = z + beta p
///
/// |r|_2 may rise on the way; it is the error that never does. With a diagonal P nothing is stored
/// for z, and an iteration moves 104 n bytes of vectors beside the matrix.
///
/// A claim of convergence is only believed of a residual recomputed from x (see core/linear/pcr.h).
/// On a right-hand side outside the range of a singular A the residual stops falling and x grows:
/// the iteration ends with kStagnation once |r| is 1e4 times its minimum, at the best iterate.
#pragma once

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class Pcg {
 public:
  /// Workspace for n rows; the only function that allocates, but for a monitor's product |A r|.
  void allocate(Index n, bool diagonal_preconditioner);

  /// Starts from x; fills status, iterations, recurrence_residual, bytes_moved and detail. x is
  /// finite on return if it was on entry.
  void solve(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
             const LinearControl& control, const Monitor& monitor, LinearReport& report);

  double bytes_held() const;

 private:
  struct Problem;
  void begin(const Problem& problem);
  void precondition(const Problem& problem);
  bool step(const Problem& problem, LinearReport& report);
  void advance(const Problem& problem, double alpha);
  void turn(const Problem& problem, double beta);
  void keep_best(const Problem& problem);
  void tell(const Problem& problem);
  bool claims_convergence(const Problem& problem, LinearReport& report) const;
  bool gives_up(const Problem& problem, LinearReport& report);
  void judge_curvature(const Problem& problem, double curvature, LinearReport& report);

  Vector r_, p_, q_, best_x_;
  Vector z_;            // general P only
  Vector Ar_;           // for a monitor only
  double rr_ = 0.0;     // (r,r)
  double rz_ = 0.0;     // (r,z)
  double best_ = 0.0;   // smallest (r,r)
  double saved_ = 0.0;  // the one that best_x belongs to
  int iteration_ = 0;
  bool fresh_ = true;  // r was computed from x
  double bytes_ = 0.0;
};

}  // namespace nsn
