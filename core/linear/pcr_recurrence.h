/// The scalars of conjugate residuals (core/linear/pcr.h) and every decision taken on them: the
/// whole of the algorithm but its vectors. Host and device code may call it.
///
///   PcrState s;                        // x is the best iterate, r = b - A x, z = P r, w = A z
///   for (;;) {
///     decide(s, sums, limits);         // sums of the present z, w and of the last q
///     if (s.action == kFormDelta) take_delta(s, sums, |w + beta q|_P^2);
///     if (s.save_best) best = x;
///     if (s.action == kStop) break;
///     if (s.action == kRecompute) r = b - A x;
///     else p = z + beta p, q = w + beta q, x += alpha p, z -= alpha P q;
///   }
///   if (s.restore_best) x = best;
///
/// One iteration, in the notation of ProductSums with x = z and y = w:
///
///   beta  = (z,w) / (z,w)_old
///   delta = (w,Pw) + 2 beta (w,Pq) + beta^2 (q,Pq)
///   alpha = ((z,w) + beta (z,q)) / delta
#pragma once

#include <cmath>

#include "nsn/core/linear/product_sums.h"
#include "nsn/ncp/function.h"

namespace nsn {

/// What one solve is asked for.
struct PcrLimits {
  double target = 0.0;         ///< |b - A x|_2 <= target
  double least_squares = 0.0;  ///< |A z|_P <= least_squares |A|_P |r|_P
  int max_iterations = 0;
};

enum class PcrEnd : int {
  kRunning = 0,
  kConverged,          ///< |r| <= target, of a residual computed from x
  kLeastSquares,       ///< b is not in the range of A, r is all that is left of it
  kLimit,              ///< max_iterations
  kBreakdown,          ///< a scalar is not finite
  kIndefinite,         ///< (z, A z) <= 0
  kBadPreconditioner,  ///< r^T P r <= 0, or it rises: P is not positive definite
  kRoundingReached,    ///< the residual recomputed from x stopped falling
};

/// What the vectors do next.
enum class PcrAction : int {
  kStep,       ///< along p = z + beta p by alpha
  kFormDelta,  ///< the recurrence lost delta: form it from the vectors and call take_delta()
  kRecompute,  ///< r = b - A x
  kStop,
};

struct PcrState {
  // decisions of the last call
  PcrAction action = PcrAction::kStep;
  PcrEnd end = PcrEnd::kRunning;
  int iteration = 0;           ///< steps so far
  bool save_best = false;      ///< x is the best iterate
  bool restore_best = false;   ///< take the best iterate for x
  bool new_direction = false;  ///< p = z, q = w: the last direction is not read
  double alpha = 0.0;
  double beta = 0.0;

  // memory
  bool fresh = true;               ///< r was just computed from x: no direction yet
  bool claimed = false;            ///< ... to check a claim of convergence
  double old_zw = 0.0;             ///< (z,w) of the last step
  double norm = 0.0;               ///< |A|_P, largest ratio met
  double best_Az = -1.0;           ///< smallest |A z|_P^2, < 0: none yet
  double saved_Az = 0.0;           ///< the one that the best iterate belongs to
  double best_rz = 0.0;            ///< |r|_P^2 at best_Az
  double least_rz = 0.0;           ///< smallest |r|_P^2 since r was computed from x
  double restart_residual = -1.0;  ///< |r|_2 at the last restart, < 0: none yet
  int restarts = 0;
};

namespace pcr {

inline constexpr double kHalfDigits = 1e-7;  // |A z| / (|A| |r|) of least squares to rounding
inline constexpr double kRise = 10.0;        // |A z|, or |r|_P, above its minimum
inline constexpr double kProgress = 0.9;     // |r|_P that counts as progress since that minimum
inline constexpr double kCancelled = 1e-8;   // delta / (w,Pw) below which delta is formed directly
inline constexpr int kMaxRestarts = 10;

NSN_FUNCTION bool finite(double x) {
  return x - x == 0.0;
}

NSN_FUNCTION void stop(PcrState& s, PcrEnd end, bool restore_best) {
  s.action = PcrAction::kStop;
  s.end = end;
  s.restore_best = restore_best;
}

NSN_FUNCTION PcrEnd claim(const PcrState& s, const ProductSums& sums, const PcrLimits& limits) {
  if (std::sqrt(sums.r_r) <= limits.target) return PcrEnd::kConverged;
  const double bound = limits.least_squares * s.norm;
  if (sums.y_Py <= bound * bound * sums.r_x) return PcrEnd::kLeastSquares;
  return PcrEnd::kRunning;
}

/// The recomputed residual denied a claim. Returns true if going on from x helped since the last
/// time.
NSN_FUNCTION bool restart_helps(PcrState& s, const ProductSums& sums) {
  const double residual = std::sqrt(sums.r_r);
  const bool halved = s.restart_residual < 0.0 || residual <= 0.5 * s.restart_residual;
  s.restart_residual = residual;
  return ++s.restarts <= kMaxRestarts && halved;
}

/// A positive definite P has r^T P r > 0, and the iteration never lets it rise but for rounding.
NSN_FUNCTION bool is_definite(PcrState& s, const ProductSums& sums) {
  s.least_rz = s.fresh ? sums.r_x : std::fmin(s.least_rz, sums.r_x);
  return sums.r_x >= 0.0 && sums.r_x <= kRise * kRise * s.least_rz;
}

/// The best iterate is saved each time |A z|_P has halved: a few dozen times in a whole solve.
NSN_FUNCTION void keep_best(PcrState& s, const ProductSums& sums) {
  const bool first = s.best_Az < 0.0;
  if (first || sums.y_Py < s.best_Az) {
    s.best_Az = sums.y_Py;
    s.best_rz = sums.r_x;
  }
  if (first) s.saved_Az = sums.y_Py;  // the caller holds the first iterate
  if (sums.y_Py > 0.25 * s.saved_Az) return;
  s.saved_Az = sums.y_Py;
  s.save_best = true;
}

/// Returns true if the iteration cannot go on. For semidefinite A, |A z|_P^2 <= |A|_P (z,w): a
/// (z,w) of zero needs an A z of zero, and half of the digits of A z are all that rounding leaves
/// of it.
NSN_FUNCTION bool gives_up(PcrState& s, const ProductSums& sums) {
  const bool flat = sums.x_y <= 0.0;
  const bool near = s.best_Az <= kHalfDigits * kHalfDigits * s.norm * s.norm * s.best_rz;
  const bool stalled = sums.r_x >= kProgress * kProgress * s.best_rz;
  const bool rising = sums.y_Py > kRise * kRise * s.best_Az;
  if (near && stalled && (flat || rising)) {
    stop(s, PcrEnd::kLeastSquares, true);
    return true;
  }
  if (flat) stop(s, PcrEnd::kIndefinite, false);
  return flat;
}

}  // namespace pcr

/// Sets the step along the next direction, whose delta = |w + beta q|_P^2.
NSN_FUNCTION void take_delta(PcrState& s, const ProductSums& sums, double delta) {
  s.alpha = (sums.x_y + s.beta * sums.x_q) / delta;
  if (!pcr::finite(s.alpha) || !pcr::finite(s.beta)) {
    return pcr::stop(s, PcrEnd::kBreakdown, true);
  }
  s.action = PcrAction::kStep;
  s.new_direction = s.fresh;
  s.fresh = false;
  s.old_zw = sums.x_y;
  ++s.iteration;
}

/// Takes the sums of the present r, z = P r, w = A z, and of q unless r is fresh, and decides what
/// happens next.
NSN_FUNCTION void decide(PcrState& s, const ProductSums& sums, const PcrLimits& limits) {
  s.save_best = s.restore_best = false;
  if (!pcr::finite(sums.x_y + sums.y_Py + sums.r_r + sums.r_x)) {
    return pcr::stop(s, PcrEnd::kBreakdown, true);
  }
  if (sums.r_x > 0.0) s.norm = std::fmax(s.norm, std::sqrt(sums.y_Py / sums.r_x));
  const PcrEnd claimed = pcr::claim(s, sums, limits);
  if (claimed != PcrEnd::kRunning) {
    if (s.fresh) return pcr::stop(s, claimed, false);  // the claim is true
    s.action = PcrAction::kRecompute;
    s.fresh = s.claimed = true;
    return;
  }
  if (s.claimed && !pcr::restart_helps(s, sums)) {
    return pcr::stop(s, PcrEnd::kRoundingReached, false);
  }
  s.claimed = false;
  if (!pcr::is_definite(s, sums)) return pcr::stop(s, PcrEnd::kBadPreconditioner, true);
  pcr::keep_best(s, sums);
  if (pcr::gives_up(s, sums)) return;
  if (s.iteration >= limits.max_iterations) return pcr::stop(s, PcrEnd::kLimit, false);
  s.beta = s.fresh ? 0.0 : sums.x_y / s.old_zw;
  const double delta = sums.y_Py + s.beta * (2.0 * sums.y_Pq + s.beta * sums.q_Pq);
  if (delta > pcr::kCancelled * sums.y_Py) {
    take_delta(s, sums, delta);
  } else {
    s.action = PcrAction::kFormDelta;
  }
}

}  // namespace nsn
