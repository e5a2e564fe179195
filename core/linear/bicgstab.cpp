#include "nsn/core/linear/bicgstab.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/krylov_problem.h"

namespace nsn {
namespace {

// Guards against breakdown and divergence, not policy.
constexpr double kBlowUp = 1e4;        // |r| above its least value
constexpr double kGain = 0.999;        // |r| after / before a beginning that is worth another
constexpr double kOrthogonal = 1e-14;  // (a,b) / (|a| |b|): rounding

bool vanishes(double product, double scale) {
  return !(std::abs(product) > kOrthogonal * scale);
}

}  // namespace

struct BiCgStab::Problem : KrylovProblem {};

void BiCgStab::allocate(Index n) {
  for (Vector* v : {&r_, &shadow_, &p_, &v_, &t_, &z_, &best_x_}) {
    *v = allocate_vector("bicgstab", static_cast<std::size_t>(n));
  }
}

// r = b - A x
void BiCgStab::begin(const Problem& problem) {
  problem.A.apply(problem.x, r_);
  size_ = residual_norm(problem.b, r_, r_);
  copy(r_, shadow_);
  copy(r_, p_);
  rho_ = size_ * size_;
  bytes_ += problem.A.bytes_per_apply() + 56.0 * problem.n();
}

// out = A P in
void BiCgStab::product(const Problem& problem, ConstVector in, Vector out) {
  problem.P.apply(in, z_);
  problem.A.apply(z_, out);
  bytes_ += problem.P.bytes_per_apply() + problem.A.bytes_per_apply();
}

bool BiCgStab::step(const Problem& problem) {
  product(problem, p_, v_);
  const double shadow_v = dot(shadow_, v_);
  if (vanishes(shadow_v, norm2(shadow_) * norm2(v_))) return false;
  alpha_ = rho_ / shadow_v;
  axpby(alpha_, z_, 1.0, problem.x);
  axpby(-alpha_, v_, 1.0, r_);
  size_ = norm2(r_);
  ++iteration_;
  bytes_ += 120.0 * problem.n();
  if (size_ <= problem.goal.target) return true;
  product(problem, r_, t_);
  const double tt = dot(t_, t_);
  const double tr = dot(t_, r_);
  if (vanishes(tr, std::sqrt(tt) * size_)) return false;
  omega_ = tr / tt;
  axpby(omega_, z_, 1.0, problem.x);
  axpby(-omega_, t_, 1.0, r_);
  size_ = norm2(r_);
  const double rho = dot(shadow_, r_);
  if (vanishes(rho, norm2(shadow_) * size_)) return size_ <= problem.goal.target;
  const double beta = rho / rho_ * (alpha_ / omega_);
  rho_ = rho;
  axpby(-omega_, v_, 1.0, p_);
  axpby(1.0, r_, beta, p_);
  bytes_ += 200.0 * problem.n();
  return true;
}

void BiCgStab::keep_best(const Problem& problem) {
  if (!(size_ < best_)) return;
  best_ = size_;
  copy(problem.x, best_x_);
  bytes_ += 16.0 * problem.n();
}

// From r = b - A x to where it ends or has to begin again; x is the best iterate then. False: the
// iterations are spent.
bool BiCgStab::run(const Problem& problem) {
  const auto tell = [&] {
    if (problem.monitor) problem.monitor({iteration_, size_, 0.0, 0.0});
  };
  while (size_ > problem.goal.target) {
    if (iteration_ >= problem.goal.limit) break;
    const int before = iteration_;
    const bool goes_on = step(problem);
    if (iteration_ > before) tell();
    if (!std::isfinite(size_)) break;
    keep_best(problem);
    if (!goes_on || size_ > kBlowUp * best_) break;
  }
  if (!(size_ <= best_)) copy(best_x_, problem.x);
  return iteration_ < problem.goal.limit;
}

void BiCgStab::solve(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
                     const LinearControl& control, const Monitor& monitor, LinearReport& report) {
  const Problem problem{{A, P, P.diagonal(), b, x, control, monitor, norm2(b)}};
  NSN_THROW_UNLESS(size_of(r_) == problem.n(), "BiCGStab allocated for {} rows cannot solve {}",
                   r_.extent(0), problem.n());
  iteration_ = 0;
  bytes_ = 0.0;
  double before = HUGE_VAL;
  begin(problem);
  if (monitor) monitor({0, size_, 0.0, 0.0});
  for (;;) {
    const double start = size_;
    best_ = size_;
    copy(x, best_x_);
    if (size_ <= problem.goal.target) {
      report.status = problem.goal.converged(size_);
      break;
    }
    if (!(start <= kGain * before)) {
      const bool rounding =
          start <= std::sqrt(std::numeric_limits<double>::epsilon()) * problem.rhs_norm;
      report.status = rounding ? LinearStatus::kStagnation : LinearStatus::kBreakdown;
      report.detail = rounding
                          ? "the residual recomputed from x stopped falling: rounding is reached"
                          : "the recurrence breaks down, and to begin again gains nothing";
      break;
    }
    before = start;
    const bool more = run(problem);
    begin(problem);
    if (!more && size_ > problem.goal.target) {
      report.status = problem.goal.out_of_iterations();
      break;
    }
  }
  report.iterations = iteration_;
  report.recurrence_residual = size_;
  report.bytes_moved = bytes_;
}

}  // namespace nsn
