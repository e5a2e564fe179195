/// BiCGStab with a preconditioner on the right, for any square A: seven vectors whatever the number of
/// iterations, where GMRES keeps one for each.
///
///   v = A P p,   alpha = (s,r) / (s,v),   r = r - alpha v          s: the residual it began with
///   t = A P r,   omega = (t,r) / (t,t),   r = r - omega t
///   beta = (s,r) / (s,r)_old alpha / omega,   p = r + beta (p - omega v)
///
/// An iteration is two products and two applications of P. |r| may rise on the way; the least iterate
/// is kept. Where one of the quotients breaks down, where |r| grows beyond bounds, and where a
/// claim of convergence is not confirmed by the residual of x, the iteration begins again from that
/// iterate, as long as each beginning gains.
#pragma once

#include "nsn/core/base/types.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/preconditioner.h"

namespace nsn {

class BiCgStab {
 public:
  /// Workspace for n rows; the only function that allocates.
  void allocate(Index n);

  /// Starts from x; fills status, iterations, recurrence_residual, bytes_moved and detail. x is
  /// finite on return if it was on entry.
  void solve(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
             const LinearControl& control, const Monitor& monitor, LinearReport& report);

  double bytes_held() const { return 64.0 * static_cast<double>(r_.size()); }

 private:
  struct Problem;
  void begin(const Problem& problem);
  /// One iteration; false if a quotient broke down.
  bool step(const Problem& problem);
  void product(const Problem& problem, ConstVector in, Vector out);
  void keep_best(const Problem& problem);
  bool run(const Problem& problem);

  Vector r_, shadow_, p_, v_, t_, z_, best_x_;
  double size_ = 0.0;  // |r|
  double best_ = 0.0;  // least |r|, of best_x
  double rho_ = 0.0, alpha_ = 0.0, omega_ = 0.0;
  int iteration_ = 0;
  double bytes_ = 0.0;
};

}  // namespace nsn
