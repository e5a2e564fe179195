#include "nsn/core/linear/pcg.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/krylov_problem.h"

namespace nsn {
namespace {

// Guards against matrices that are not positive definite or too ill-conditioned, not policy.
constexpr double kBlowUp = 1e4;      // |r| above its minimum: the iteration diverges
constexpr double kNullSpace = 1e-6;  // |A r| / (size |r|): r lies in the null space to rounding
constexpr int kMaxRestarts = 10;     // that each must halve |r|

}  // namespace

struct Pcg::Problem : KrylovProblem {};

void Pcg::allocate(Index n, bool diagonal_preconditioner) {
  const auto size = static_cast<std::size_t>(n);
  for (Vector* v : {&r_, &p_, &q_, &best_x_}) *v = allocate_vector("pcg", size);
  z_ = allocate_vector("pcg", diagonal_preconditioner ? 0 : size);
  Ar_ = Vector();
}

double Pcg::bytes_held() const {
  return 8.0 * static_cast<double>(4 * r_.extent(0) + z_.extent(0) + Ar_.extent(0));
}

// r = b - A x, p = z = P r
void Pcg::begin(const Problem& problem) {
  problem.A.apply(problem.x, q_);
  rr_ = residual_norm(problem.b, q_, r_);
  rr_ *= rr_;
  if (!problem.diagonal()) precondition(problem);
  turn(problem, 0.0);
  rz_ = dot(r_, p_);
  bytes_ += problem.A.bytes_per_apply() + 72.0 * problem.n();
  fresh_ = true;
}

void Pcg::precondition(const Problem& problem) {
  problem.P.apply(r_, z_);
  bytes_ += problem.P.bytes_per_apply();
}

// x += alpha p, r -= alpha q, and (r,r), (r,P r)
void Pcg::advance(const Problem& problem, double alpha) {
  const double* const p = p_.data();
  const double* const q = q_.data();
  const double* const d = problem.d.data();
  double* const r = r_.data();
  double* const x = problem.x.data();
  const bool diagonal = problem.diagonal();
  const auto sum = sum_range<2>(problem.n(), [=](Index first, Index last, auto& total) {
    double rr = 0.0;
    double rz = 0.0;
    for (Index i = first; i < last; ++i) {
      x[i] += alpha * p[i];
      const double ri = r[i] - alpha * q[i];
      r[i] = ri;
      rr += ri * ri;
      if (diagonal) rz += ri * ri * d[i];
    }
    total[0] += rr;
    total[1] += rz;
  });
  rr_ = sum[0];
  bytes_ += 56.0 * problem.n();
  if (diagonal) {
    rz_ = sum[1];
    return;
  }
  precondition(problem);
  rz_ = dot(r_, z_);
  bytes_ += 16.0 * problem.n();
}

// p = P r + beta p; beta = 0 does not read p
void Pcg::turn(const Problem& problem, double beta) {
  const double* const r = r_.data();
  const double* const d = problem.d.data();
  const double* const z = z_.data();
  double* const p = p_.data();
  const bool diagonal = problem.diagonal();
  for_range(problem.n(), [=](Index first, Index last) {
    if (beta == 0.0) {
      for (Index i = first; i < last; ++i) p[i] = diagonal ? d[i] * r[i] : z[i];
    } else if (diagonal) {
      for (Index i = first; i < last; ++i) p[i] = d[i] * r[i] + beta * p[i];
    } else {
      for (Index i = first; i < last; ++i) p[i] = z[i] + beta * p[i];
    }
  });
  bytes_ += 32.0 * problem.n();
}

// Zero or negative (p,q): p in the null space ends an inconsistent system, else A is indefinite.
void Pcg::judge_curvature(const Problem& problem, double curvature, LinearReport& report) {
  problem.A.apply(r_, q_);
  const double Ar = norm2(q_);
  problem.A.apply(problem.b, q_);
  const double size = norm2(q_) / problem.rhs_norm;  // a sample of |A|
  if (Ar <= kNullSpace * size * std::sqrt(rr_)) {
    report.status = LinearStatus::kConvergedLeastSquares;
    if (Ar > problem.control.rtol * size * std::sqrt(rr_)) {
      report.status = LinearStatus::kStagnation;
      report.detail = "the right-hand side is not in the range of the matrix";
    }
    return;
  }
  report.status = LinearStatus::kIndefinite;
  report.detail = fmt::format("met a direction of curvature {:.2e}", curvature);
}

// One iteration; false if it could not be made.
bool Pcg::step(const Problem& problem, LinearReport& report) {
  problem.A.apply(p_, q_);
  const double curvature = dot(p_, q_);
  bytes_ += problem.A.bytes_per_apply();
  const double alpha = rz_ / curvature;
  if (!(curvature > 0.0) || !std::isfinite(alpha)) {
    if (std::isfinite(curvature)) {
      judge_curvature(problem, curvature, report);
    } else {
      report.status = LinearStatus::kBreakdown;
      report.detail = "the recurrence met a number that is not finite";
    }
    return false;
  }
  const double old_rz = rz_;
  advance(problem, alpha);
  turn(problem, rz_ / old_rz);
  ++iteration_;
  fresh_ = false;
  return true;
}

// A copy of x each time |r| has halved.
void Pcg::keep_best(const Problem& problem) {
  best_ = std::min(best_, rr_);
  if (rr_ > 0.25 * saved_) return;
  saved_ = rr_;
  copy(problem.x, best_x_);
  bytes_ += 16.0 * problem.n();
}

bool Pcg::claims_convergence(const Problem& problem, LinearReport& report) const {
  const double residual = std::sqrt(rr_);
  if (!(residual <= problem.goal.target)) return false;
  report.status = problem.goal.converged(residual);
  return true;
}

// True if the iteration cannot go on; x is the best iterate then.
bool Pcg::gives_up(const Problem& problem, LinearReport& report) {
  if (!std::isfinite(rr_ + rz_)) {
    report.status = LinearStatus::kBreakdown;
    report.detail = "the recurrence met a number that is not finite; the best iterate is returned";
  } else if (rz_ < 0.0) {
    report.status = LinearStatus::kBreakdown;
    report.detail = "the preconditioner is not positive definite; the best iterate is returned";
  } else if (rr_ > kBlowUp * kBlowUp * best_) {
    report.status = LinearStatus::kStagnation;
    report.detail =
        "the residual rose to 1e4 times its minimum: the right-hand side is not in the "
        "range of the matrix, or rounding is reached; the best iterate is returned";
  } else {
    return false;
  }
  copy(best_x_, problem.x);
  rr_ = saved_;
  return true;
}

void Pcg::tell(const Problem& problem) {
  if (!problem.monitor) return;
  if (size_of(Ar_) != problem.n())
    Ar_ = allocate_vector("Ar", static_cast<std::size_t>(problem.n()));
  problem.A.apply(r_, Ar_);
  problem.monitor({iteration_, std::sqrt(rr_), std::sqrt(rz_), norm2(Ar_)});
}

void Pcg::solve(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
                const LinearControl& control, const Monitor& monitor, LinearReport& report) {
  const Problem problem{{A, P, P.diagonal(), b, x, control, monitor, norm2(b)}};
  NSN_THROW_UNLESS(size_of(r_) == problem.n() && (problem.diagonal() || size_of(z_) == problem.n()),
                   "PCG allocated for {} rows cannot solve {}", r_.extent(0), problem.n());
  iteration_ = 0;
  bytes_ = 0.0;
  copy(x, best_x_);
  begin(problem);
  best_ = saved_ = rr_;
  double restart_residual = HUGE_VAL;
  tell(problem);
  for (int restarts = 0;;) {
    if (claims_convergence(problem, report)) {
      if (fresh_) break;
      begin(problem);
      if (claims_convergence(problem, report)) break;
      const double residual = std::sqrt(rr_);
      if (++restarts > kMaxRestarts || residual > 0.5 * restart_residual) {
        report.status = LinearStatus::kStagnation;
        report.detail = "the residual recomputed from x stopped falling: rounding is reached";
        break;
      }
      restart_residual = residual;
      best_ = saved_ = rr_;
    }
    if (gives_up(problem, report)) break;
    keep_best(problem);
    if (iteration_ >= problem.goal.limit) {
      report.status = problem.goal.out_of_iterations();
      break;
    }
    if (!step(problem, report)) break;
    tell(problem);
  }
  report.iterations = iteration_;
  report.recurrence_residual = std::sqrt(rr_);
  report.bytes_moved = bytes_;
}

}  // namespace nsn
