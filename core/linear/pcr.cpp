#include "nsn/core/linear/pcr.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "nsn/core/base/allocate.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/parallel.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/krylov_problem.h"

namespace nsn {
namespace {

constexpr double kLeastSquares = 1e-8;  // loosest |A z| / (|A| |r|) taken for least squares

bool is_unit(ConstVector d) {
  for (Index i = 0; i < size_of(d); ++i) {
    if (d(i) != 1.0) return false;
  }
  return d.extent(0) > 0;
}

}  // namespace

struct Pcr::Problem : KrylovProblem {
  bool plain = false;  // without the preconditioner: towards least squares of |r|_2

  PcrLimits limits() const {
    return {.target = goal.target,
            .least_squares = std::min(control.rtol, kLeastSquares),
            .max_iterations = goal.limit};
  }
};

void Pcr::allocate(Index n, bool diagonal_preconditioner) {
  const auto size = static_cast<std::size_t>(n);
  for (Vector* v : {&z_, &w_, &p_, &q_, &best_x_}) *v = allocate_vector("pcr", size);
  for (Vector* v : {&r_, &u_, &s_}) *v = allocate_vector("pcr", diagonal_preconditioner ? 0 : size);
  ones_ = allocate_vector("ones", size);
  for (Index i = 0; i < n; ++i) ones_(i) = 1.0;
  true_r_ = Ar_ = Vector();
}

double Pcr::bytes_held() const {
  return 8.0 * static_cast<double>(6 * z_.extent(0) + 3 * r_.extent(0) + 2 * Ar_.extent(0));
}

// z = P (b - A x) from scratch, then everything that follows from z.
void Pcr::begin(const Problem& problem) {
  const double* const b = problem.b.data();
  problem.A.apply(problem.x, w_);
  const double* const w = w_.data();
  if (problem.diagonal()) {
    const double* const d = problem.d.data();
    double* const z = z_.data();
    for_range(problem.n(), [=](Index first, Index last) {
      for (Index i = first; i < last; ++i) z[i] = d[i] * (b[i] - w[i]);
    });
  } else {
    static_cast<void>(residual_norm(problem.b, w_, r_));
    problem.P.apply(r_, z_);
    sums_.r_r = dot(r_, r_);
    sums_.r_x = dot(r_, z_);
    bytes_ += problem.P.bytes_per_apply();
  }
  bytes_ += problem.A.bytes_per_apply() + 32.0 * problem.n();
  evaluate(problem);
}

// w = A z and the sums of this iteration.
void Pcr::evaluate(const Problem& problem) {
  bytes_ += problem.A.bytes_per_apply();
  if (problem.diagonal()) {
    sums_ = problem.A.apply_with_sums(z_, problem.d, state_.fresh ? ConstVector() : q_, w_);
    bytes_ += (state_.fresh ? 8.0 : 16.0) * problem.n();
  } else {
    problem.A.apply(z_, w_);
    problem.P.apply(w_, u_);
    const double* const z = z_.data();
    const double* const w = w_.data();
    const double* const u = u_.data();
    const double* const q = q_.data();
    const double* const s = s_.data();
    const bool no_direction = state_.fresh;
    const auto sum = sum_range<5>(problem.n(), [=](Index first, Index last, auto& total) {
      std::array<double, 5> part{};
      for (Index i = first; i < last; ++i) {
        part[0] += z[i] * w[i];
        part[1] += w[i] * u[i];
        if (no_direction) continue;
        part[2] += z[i] * q[i];
        part[3] += w[i] * s[i];
        part[4] += q[i] * s[i];
      }
      for (std::size_t k = 0; k < part.size(); ++k) total[k] += part[k];
    });
    sums_.x_y = sum[0];
    sums_.y_Py = sum[1];
    sums_.x_q = sum[2];
    sums_.y_Pq = sum[3];
    sums_.q_Pq = sum[4];
    bytes_ += problem.P.bytes_per_apply() + (state_.fresh ? 24.0 : 40.0) * problem.n();
  }
}

// p = z + beta p, q = w + beta q, x += alpha p, z -= alpha d q; a new direction does not read p, q.
void Pcr::update_diagonal(const Problem& problem) {
  const double alpha = state_.alpha;
  const double beta = state_.beta;
  const double* const w = w_.data();
  const double* const d = problem.d.data();
  double* const z = z_.data();
  double* const p = p_.data();
  double* const q = q_.data();
  double* const x = problem.x.data();
  const bool first_step = state_.new_direction;
  for_range(problem.n(), [=](Index first, Index last) {
    if (first_step) {
      for (Index i = first; i < last; ++i) {
        p[i] = z[i];
        q[i] = w[i];
        x[i] += alpha * z[i];
        z[i] -= alpha * (d[i] * w[i]);
      }
      return;
    }
    for (Index i = first; i < last; ++i) {
      const double pi = z[i] + beta * p[i];
      const double qi = w[i] + beta * q[i];
      p[i] = pi;
      q[i] = qi;
      x[i] += alpha * pi;
      z[i] -= alpha * (d[i] * qi);
    }
  });
  bytes_ += 80.0 * problem.n();
}

// As above with s = P q = u + beta s carried along, and r -= alpha q for its norm.
void Pcr::update_general(const Problem& problem) {
  const double alpha = state_.alpha;
  const double beta = state_.beta;
  const double* const w = w_.data();
  const double* const u = u_.data();
  double* const z = z_.data();
  double* const p = p_.data();
  double* const q = q_.data();
  double* const s = s_.data();
  double* const r = r_.data();
  double* const x = problem.x.data();
  const bool first_step = state_.new_direction;
  const auto sum = sum_range<2>(problem.n(), [=](Index first, Index last, auto& total) {
    double rr = 0.0;
    double rz = 0.0;
    for (Index i = first; i < last; ++i) {
      p[i] = first_step ? z[i] : z[i] + beta * p[i];
      q[i] = first_step ? w[i] : w[i] + beta * q[i];
      s[i] = first_step ? u[i] : u[i] + beta * s[i];
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      z[i] -= alpha * s[i];
      rr += r[i] * r[i];
      rz += r[i] * z[i];
    }
    total[0] += rr;
    total[1] += rz;
  });
  sums_.r_r = sum[0];
  sums_.r_x = sum[1];
  bytes_ += 112.0 * problem.n();
}

// |w + beta q|_P^2 without cancellation, for the rare step on which the recurrence loses it.
double Pcr::exact_delta(const Problem& problem) {
  const double beta = state_.beta;
  const double* const w = w_.data();
  const double* const q = q_.data();
  const double* const u = u_.data();
  const double* const s = s_.data();
  const double* const d = problem.d.data();
  const bool diagonal = problem.diagonal();
  bytes_ += 24.0 * problem.n();
  return sum_range<1>(problem.n(), [=](Index first, Index last, auto& total) {
    double sum = 0.0;
    for (Index i = first; i < last; ++i) {
      const double qi = w[i] + beta * q[i];
      sum += qi * (diagonal ? d[i] * qi : u[i] + beta * s[i]);
    }
    total[0] += sum;
  })[0];
}

// x -= (r^T x / r^T r) r, without a preconditioner: z = r
void Pcr::lift(const Problem& problem) {
  if (!(sums_.r_r > 0.0)) return;
  axpby(-dot(z_, problem.x) / sums_.r_r, z_, 1.0, problem.x);
  bytes_ += 40.0 * problem.n();
}

void Pcr::tell(const Problem& problem) {
  if (!problem.monitor) return;
  if (size_of(Ar_) != problem.n()) {
    true_r_ = allocate_vector("r", static_cast<std::size_t>(problem.n()));
    Ar_ = allocate_vector("Ar", static_cast<std::size_t>(problem.n()));
  }
  if (problem.diagonal()) {
    for (Index i = 0; i < problem.n(); ++i) true_r_(i) = z_(i) / problem.d(i);
  } else {
    copy(r_, true_r_);
  }
  problem.A.apply(true_r_, Ar_);
  problem.monitor({state_.iteration, std::sqrt(sums_.r_r),
                   problem.plain ? 0.0 : std::sqrt(sums_.r_x), norm2(Ar_)});
}

// Iterates from x until a status is known.
void Pcr::iterate(const Problem& problem, LinearReport& report) {
  copy(problem.x, best_x_);
  const int steps = state_.iteration;
  state_ = {};
  state_.iteration = steps;
  begin(problem);
  if (steps == 0) tell(problem);
  for (;;) {
    decide(state_, sums_, problem.limits());
    if (state_.action == PcrAction::kFormDelta) take_delta(state_, sums_, exact_delta(problem));
    if (state_.save_best) {
      copy(problem.x, best_x_);
      bytes_ += 16.0 * problem.n();
    }
    if (state_.action == PcrAction::kStop) break;
    if (state_.action == PcrAction::kRecompute) {
      begin(problem);
      continue;
    }
    if (problem.diagonal()) {
      update_diagonal(problem);
    } else {
      update_general(problem);
    }
    evaluate(problem);
    tell(problem);
  }
  if (state_.restore_best) copy(best_x_, problem.x);
  explain(problem, report);
}

void Pcr::explain(const Problem& problem, LinearReport& report) const {
  switch (state_.end) {
    case PcrEnd::kRunning:
      break;
    case PcrEnd::kConverged:
      report.status = problem.goal.converged(std::sqrt(sums_.r_r));
      break;
    case PcrEnd::kLeastSquares:
      report.status = LinearStatus::kConvergedLeastSquares;
      break;
    case PcrEnd::kLimit:
      report.status = problem.goal.out_of_iterations();
      break;
    case PcrEnd::kBreakdown:
      report.status = LinearStatus::kBreakdown;
      report.detail =
          "the recurrence met a number that is not finite; the best iterate is returned";
      break;
    case PcrEnd::kIndefinite:
      report.status = LinearStatus::kIndefinite;
      report.detail = "met a direction of zero or negative curvature";
      break;
    case PcrEnd::kBadPreconditioner:
      report.status = LinearStatus::kBreakdown;
      report.detail = "the preconditioner is not positive definite; the best iterate is returned";
      break;
    case PcrEnd::kRoundingReached:
      report.status = LinearStatus::kStagnation;
      report.detail = "the residual recomputed from x stopped falling: rounding is reached";
      break;
  }
}

void Pcr::solve(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
                const LinearControl& control, const PcrOptions& options, const Monitor& monitor,
                LinearReport& report) {
  Problem problem{{A, P, P.diagonal(), b, x, control, monitor, norm2(b)}};
  NSN_THROW_UNLESS(size_of(z_) == problem.n() && (problem.diagonal() || size_of(r_) == problem.n()),
                   "PCR allocated for {} rows cannot solve {}", z_.extent(0), problem.n());
  state_.iteration = 0;
  bytes_ = 0.0;
  iterate(problem, report);
  if (report.status == LinearStatus::kConvergedLeastSquares &&
      (options.lift || !is_unit(problem.d))) {
    if (options.lift) fill(x, 0.0);
    problem.d = ones_;
    problem.plain = true;
    iterate(problem, report);
    if (options.lift && report.status == LinearStatus::kConvergedLeastSquares) lift(problem);
  }
  report.iterations = state_.iteration;
  report.recurrence_residual = std::sqrt(sums_.r_r);
  report.bytes_moved = bytes_;
}

}  // namespace nsn
