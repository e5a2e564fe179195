/// The scalars of an iterative solve on a device, and the decisions taken on them: all that jacobi,
/// pcg and pcr differ in but their vector updates (core/device/krylov_bodies.h).
///
/// An iteration is one trip of four stages, whatever the method:
///
///   nodes    the first half of a product with v = z, or x where the residual is computed again
///   rows     w = S v and the sums
///   decide   one body: what the vectors do next
///   update   the vectors
///
/// pcr takes its decisions from core/linear/pcr_recurrence.h, as on the host. pcg is the recurrence
/// of Chronopoulos and Gear, which has one synchronisation:
///
///   gamma = (r,z),  delta = (z,w),  w = S z,  beta = gamma / gamma_old
///   alpha = gamma / (delta - beta gamma / alpha_old)
///   p = z + beta p,  q = w + beta q,  x += alpha p,  r -= alpha q,  z = P r
///
/// jacobi is x += omega z, z = D^-1 r, with omega = 1.9 / lambda_max(D^-1 S) of a power iteration.
#pragma once

#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/pcr_recurrence.h"

namespace nsn {

enum class DeviceMethod : int { kJacobi, kPcg, kPcr };

enum class KrylovPhase : int {
  kProduct,    ///< w = S z and the sums
  kRecompute,  ///< r = b - S x
  kDelta,      ///< pcr: |w + beta q|_P^2 from the vectors
  kDone,
};

/// What one solve is asked for.
struct KrylovGoal {
  double rtol = 0.0;
  double atol = 0.0;
  int limit = 0;
  bool budget = false;  ///< the limit is the call's budget: an inexact solve was ordered
};

/// How it went; stays on the device until somebody asks.
struct DeviceOutcome {
  int status = 0;  ///< LinearStatus
  int iterations = 0;
  double residual = 0.0;  ///< |b - S x|_2 of the recurrence
  double rhs_norm = 0.0;
};

/// In the memory of the device.
struct KrylovRun {
  KrylovPhase phase = KrylovPhase::kDone;
  LinearStatus status = LinearStatus::kMaxIterations;
  int iteration = 0;
  bool plain = false;          ///< P = 1: towards least squares of |r|_2
  bool step = false;           ///< the update moves along a direction
  bool new_direction = false;  ///< p = z, q = w
  bool save_best = false;
  bool restore_best = false;
  bool fresh = true;  ///< r was computed from x
  double alpha = 0.0;
  double beta = 0.0;
  double rhs_norm = 0.0;
  double target = 0.0;
  double relative = 0.0;
  double r_r = 0.0;
  PcrState pcr;
  // pcg and jacobi
  double old_gamma = 0.0;
  double best = -1.0;  ///< smallest norm^2, < 0: none
  double saved = 0.0;  ///< of the saved iterate
  double restart = -1.0;
  int restarts = 0;
  double lambda = 0.0;  ///< jacobi: largest eigenvalue of D^-1 S
  double omega = 0.0;

  NSN_FUNCTION bool done() const { return phase == KrylovPhase::kDone; }
};

/// Sums of the present r, z, w = S z, and of the last direction's q.
enum KrylovSum { kSumZw, kSumWPw, kSumRr, kSumRz, kSumZq, kSumWPq, kSumQPq, kKrylovSums };

namespace krylov {

inline constexpr double kBlowUp = 1e4;         // pcg: |r| above its minimum
inline constexpr double kLeastSquares = 1e-8;  // loosest |S z| / (|S| |r|) taken for least squares
inline constexpr double kRounding = 1e-12;     // jacobi: relative rise of the norm by rounding
inline constexpr int kMaxRestarts = 10;
inline constexpr int kMaxHalvings = 8;

NSN_FUNCTION void finish(KrylovRun& run, LinearStatus status, bool restore_best) {
  run.phase = KrylovPhase::kDone;
  run.status = status;
  run.restore_best = restore_best;
}
NSN_FUNCTION LinearStatus converged(const KrylovRun& run) {
  return std::sqrt(run.r_r) <= run.relative ? LinearStatus::kConvergedRelative
                                            : LinearStatus::kConvergedAbsolute;
}
NSN_FUNCTION LinearStatus out_of_iterations(const KrylovGoal& goal) {
  return goal.budget ? LinearStatus::kBudgetReached : LinearStatus::kMaxIterations;
}
NSN_FUNCTION double least_squares(const KrylovGoal& goal) {
  return goal.rtol < kLeastSquares ? goal.rtol : kLeastSquares;
}

/// zero: x = 0 and r, z are set; else they are computed first.
NSN_FUNCTION void start(KrylovRun& run, const KrylovGoal& goal, double b_b, bool zero,
                        bool skipped) {
  const double lambda = run.lambda;
  run = {};
  run.lambda = lambda;
  run.omega = 1.9 / (1.05 * lambda);
  if (!pcr::finite(run.omega)) run.omega = 1.0;
  run.rhs_norm = std::sqrt(b_b);
  run.relative = goal.rtol * run.rhs_norm;
  run.target = std::fmax(run.relative, goal.atol);
  run.r_r = b_b;
  run.phase = zero ? KrylovPhase::kProduct : KrylovPhase::kRecompute;
  if (!pcr::finite(b_b)) finish(run, LinearStatus::kNonFinite, false);
  if (skipped) finish(run, LinearStatus::kBudgetReached, false);
}

// ---- pcr

NSN_FUNCTION void take_pcr(KrylovRun& run) {
  const PcrState& s = run.pcr;
  run.iteration = s.iteration;
  run.step = s.action == PcrAction::kStep;
  run.alpha = s.alpha;
  run.beta = s.beta;
  run.new_direction = s.new_direction;
  run.phase = s.action == PcrAction::kFormDelta   ? KrylovPhase::kDelta
              : s.action == PcrAction::kRecompute ? KrylovPhase::kRecompute
                                                  : KrylovPhase::kProduct;
}

NSN_FUNCTION void end_pcr(KrylovRun& run, const KrylovGoal& goal, bool unit) {
  switch (run.pcr.end) {
    case PcrEnd::kConverged:
      return finish(run, converged(run), run.pcr.restore_best);
    case PcrEnd::kLeastSquares: {
      const bool restore = run.pcr.restore_best;
      if (unit || run.plain) {
        return finish(run, LinearStatus::kConvergedLeastSquares, restore);
      }
      run.restore_best = restore;  // go on from there with P = 1
      const int steps = run.iteration;
      run.pcr = {};
      run.pcr.iteration = steps;
      run.plain = true;
      run.save_best = !restore;  // what the second part starts from
      run.phase = KrylovPhase::kRecompute;
      return;
    }
    case PcrEnd::kLimit:
      return finish(run, out_of_iterations(goal), run.pcr.restore_best);
    case PcrEnd::kIndefinite:
      return finish(run, LinearStatus::kIndefinite, run.pcr.restore_best);
    case PcrEnd::kRoundingReached:
      return finish(run, LinearStatus::kStagnation, run.pcr.restore_best);
    default:
      return finish(run, LinearStatus::kBreakdown, run.pcr.restore_best);
  }
}

NSN_FUNCTION void decide_pcr(KrylovRun& run, const KrylovGoal& goal, const double* sum, bool unit) {
  ProductSums sums;
  sums.x_y = sum[kSumZw];
  sums.y_Py = sum[kSumWPw];
  sums.r_r = sum[kSumRr];
  sums.r_x = sum[kSumRz];
  sums.x_q = sum[kSumZq];
  sums.y_Pq = sum[kSumWPq];
  sums.q_Pq = sum[kSumQPq];
  if (run.phase == KrylovPhase::kDelta) {
    run.pcr.save_best = run.pcr.restore_best = false;
    sums.x_y = run.old_gamma;  // of the product before
    sums.x_q = run.saved;
    take_delta(run.pcr, sums, sum[kSumQPq]);
  } else {
    run.r_r = sums.r_r;
    PcrLimits limits;
    limits.target = run.target;
    limits.least_squares = least_squares(goal);
    limits.max_iterations = goal.limit;
    decide(run.pcr, sums, limits);
    run.old_gamma = sums.x_y;
    run.saved = sums.x_q;
  }
  run.save_best = run.pcr.save_best;
  take_pcr(run);
  if (run.pcr.action == PcrAction::kStop) end_pcr(run, goal, unit);
}

// ---- pcg and jacobi

/// A claim of convergence, believed of a residual computed from x alone. True: nothing more to do
/// in this trip.
NSN_FUNCTION bool claim(KrylovRun& run) {
  if (!(std::sqrt(run.r_r) <= run.target)) return false;
  if (run.fresh) {
    finish(run, converged(run), false);
    return true;
  }
  const double residual = std::sqrt(run.r_r);
  if (++run.restarts > kMaxRestarts || (run.restart >= 0.0 && residual > 0.5 * run.restart)) {
    finish(run, LinearStatus::kStagnation, false);
    return true;
  }
  run.restart = residual;
  run.phase = KrylovPhase::kRecompute;
  run.fresh = true;
  run.best = -1.0;
  return true;
}

NSN_FUNCTION void decide_pcg(KrylovRun& run, const KrylovGoal& goal, const double* sum) {
  const double gamma = sum[kSumRz];
  const double delta = sum[kSumZw];
  run.r_r = sum[kSumRr];
  if (!pcr::finite(run.r_r + gamma)) return finish(run, LinearStatus::kBreakdown, true);
  if (claim(run)) return;
  if (run.best >= 0.0 && run.r_r > kBlowUp * kBlowUp * run.best) {
    return finish(run, LinearStatus::kStagnation, true);
  }
  if (run.best < 0.0 || run.r_r <= 0.25 * run.saved) {
    run.saved = run.r_r;
    run.save_best = true;
  }
  if (run.best < 0.0 || run.r_r < run.best) run.best = run.r_r;
  if (run.iteration >= goal.limit) return finish(run, out_of_iterations(goal), false);
  run.beta = run.fresh ? 0.0 : gamma / run.old_gamma;
  const double curvature = run.fresh ? delta : delta - run.beta * gamma / run.alpha;
  run.alpha = gamma / curvature;
  if (!pcr::finite(curvature)) return finish(run, LinearStatus::kBreakdown, true);
  if (!(curvature > 0.0) || !pcr::finite(run.alpha)) {
    return finish(run, LinearStatus::kIndefinite, false);
  }
  run.new_direction = run.fresh;
  run.fresh = false;
  run.step = true;
  run.old_gamma = gamma;
  ++run.iteration;
}

NSN_FUNCTION void decide_jacobi(KrylovRun& run, const KrylovGoal& goal, const double* sum) {
  run.r_r = sum[kSumRr];
  const double norm = sum[kSumRz];
  if (!(run.best < 0.0 ? pcr::finite(norm) : norm <= run.best * (1.0 + kRounding))) {
    if (++run.restarts > kMaxHalvings) return finish(run, LinearStatus::kIndefinite, true);
    run.omega *= 0.5;  // the estimate was too small
    run.restore_best = true;
    run.fresh = true;
    run.best = -1.0;
    run.phase = KrylovPhase::kRecompute;
    return;
  }
  const double bound = least_squares(goal) * run.lambda;
  const bool least = sum[kSumWPw] <= bound * bound * norm;
  if (std::sqrt(run.r_r) <= run.target || least) {
    if (run.fresh) {
      const bool met = std::sqrt(run.r_r) <= run.target;
      return finish(run, met ? converged(run) : LinearStatus::kStagnation, false);
    }
    run.fresh = true;
    run.best = -1.0;
    run.phase = KrylovPhase::kRecompute;
    return;
  }
  if (run.iteration >= goal.limit) return finish(run, out_of_iterations(goal), false);
  run.save_best = run.iteration % 64 == 0;  // where to go back to after a rise
  if (run.best < 0.0 || norm < run.best) run.best = norm;
  run.alpha = run.omega;
  run.step = true;
  run.fresh = false;
  ++run.iteration;
}

/// After the rows of a trip: what the update does, and what the next trip is for.
/// unit: P is the unit matrix.
NSN_FUNCTION void decide_next(DeviceMethod method, KrylovRun& run, const KrylovGoal& goal,
                              const double* sum, bool unit) {
  run.step = run.save_best = run.restore_best = false;
  if (run.phase == KrylovPhase::kRecompute) {
    run.phase = KrylovPhase::kProduct;
    return;
  }
  run.phase = run.phase == KrylovPhase::kDelta ? run.phase : KrylovPhase::kProduct;
  if (method == DeviceMethod::kPcr) {
    decide_pcr(run, goal, sum, unit);
  } else if (method == DeviceMethod::kPcg) {
    decide_pcg(run, goal, sum);
  } else {
    decide_jacobi(run, goal, sum);
  }
}

/// The trips are spent.
NSN_FUNCTION DeviceOutcome outcome_of(const KrylovRun& run, const KrylovGoal& goal) {
  DeviceOutcome out;
  out.status = static_cast<int>(run.done() ? run.status : out_of_iterations(goal));
  out.iterations = run.iteration;
  out.residual = std::sqrt(run.r_r);
  out.rhs_norm = run.rhs_norm;
  return out;
}

}  // namespace krylov
}  // namespace nsn
