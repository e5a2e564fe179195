/// The scalars of single-reduction PCR and every decision taken on them: the whole of the algorithm
/// but its vectors. Device-callable, so that a kernel decides without asking the host.
///
///   beta = (z,w)/(z,w)_old,  delta = (w,Pw) - beta^2 delta_old,  alpha = (z,w)/delta
///
/// The four sums (z,w), (w,Pw), (r,r), (r,z) of one iteration come from one reduction. Claims of
/// convergence are believed of a residual recomputed from x only. Where b is not in the range of S
/// the iteration reaches the least squares of |r|_P first and goes on with P = 1 to those of |r|_2.
/// The rules are those of core/linear/pcr.h.
#pragma once

#include <cmath>

#include "nsn/ncp/function.h"

namespace nsn::cuda {

enum class PcrEnd : int {
  kRunning = 0,
  kConverged,        ///< |r| <= target
  kLeastSquares,     ///< |S z|_P <= tol |S|_P |r|_P
  kLimit,            ///< iteration limit
  kBreakdown,        ///< a sum is not finite
  kIndefinite,       ///< (z, S z) <= 0
  kRoundingReached,  ///< the recomputed residual stopped falling
};

/// What one system is asked for.
struct PcrLimits {
  double target = 0.0;         ///< |b - S x|_2 <= target
  double least_squares = 0.0;  ///< tolerance of kLeastSquares
  /// A cycle between two recomputed residuals ends at this share of its first one. 0: at the
  /// target; float storage drifts away from the true residual, so its cycles are short.
  double cycle_reduction = 0.0;
  double half_digits = 1e-7;  ///< tolerance of least squares where rounding decides
  int max_iterations = 0;
  int max_restarts = 10;
  int unit_P = 0;  ///< P is the unit matrix
};

/// Sums of one iteration.
struct PcrSums {
  double zw = 0.0;
  double wPw = 0.0;
  double rr = 0.0;
  double rz = 0.0;
};

/// What the vectors do next.
enum class PcrAction : int { kUpdate, kRecompute, kStop };

struct PcrState {
  // decisions of the last call of decide()
  PcrAction action = PcrAction::kUpdate;
  PcrEnd end = PcrEnd::kRunning;
  int iteration = 0;
  int save_best = 0;     ///< copy x to the best iterate before the update
  int restore_best = 0;  ///< take the best iterate for x
  double alpha = 0.0;
  double beta = 0.0;
  double rr = 0.0;  ///< |r|^2 the iteration believes in

  // memory
  double old_zw = 0.0;
  double delta = 0.0;
  double norm = 0.0;       ///< |S|_P, largest ratio met
  double best_Sz = -1.0;   ///< smallest |S z|_P^2, < 0: none yet
  double saved_Sz = 0.0;   ///< the one that the best iterate belongs to
  double best_rz = 0.0;    ///< |r|_P^2 there
  double cycle_rr = 0.0;   ///< |r|^2 at the start of this cycle
  double restart_rr = -1;  ///< |r|^2 at the last restart, < 0: none yet
  int restarts = 0;
  int fresh = 1;    ///< the residual was just computed from x: no direction yet
  int claimed = 0;  ///< it was recomputed to check a claim
  int plain = 0;    ///< P is left out: towards the least squares of |r|_2
};

namespace detail {

inline constexpr double kRise = 10.0;       // |S z| above its minimum that ends an iteration
inline constexpr double kProgress = 0.9;    // |r|_P that counts as progress since that minimum
inline constexpr double kCancelled = 1e-8;  // delta / (w,Pw) below which the direction restarts

NSN_FUNCTION bool finite(double x) {
  return x - x == 0.0;
}

NSN_FUNCTION bool least_squares(const PcrState& s, const PcrSums& sums, double tolerance) {
  const double bound = tolerance * s.norm;
  return sums.wPw <= bound * bound * sums.rz;
}

NSN_FUNCTION PcrEnd claim(const PcrState& s, const PcrSums& sums, const PcrLimits& limits) {
  if (sums.rr <= limits.target * limits.target) return PcrEnd::kConverged;
  if (least_squares(s, sums, limits.least_squares)) return PcrEnd::kLeastSquares;
  return PcrEnd::kRunning;
}

NSN_FUNCTION void stop(PcrState& s, PcrEnd end, bool restore) {
  s.action = PcrAction::kStop;
  s.end = end;
  s.restore_best = restore ? 1 : 0;
}

// The least squares of |r|_P are reached: the end if P = 1, else the start of the second part.
NSN_FUNCTION void end_or_go_on_plain(PcrState& s, const PcrLimits& limits, bool restore) {
  if (s.plain != 0 || limits.unit_P != 0) return stop(s, PcrEnd::kLeastSquares, restore);
  s.plain = 1;
  s.norm = 0.0;
  s.best_Sz = s.restart_rr = -1.0;
  s.restarts = 0;
  s.fresh = 1;
  s.claimed = 0;
  s.restore_best = restore ? 1 : 0;
  s.action = PcrAction::kRecompute;
}

// True if this direction cannot be taken; x is the best iterate then.
NSN_FUNCTION bool gives_up(PcrState& s, const PcrSums& sums, const PcrLimits& limits) {
  const bool flat = sums.zw <= 0.0;
  const double bound = limits.half_digits * s.norm;
  const bool near = s.best_Sz <= bound * bound * s.best_rz;
  const bool stalled = sums.rz >= kProgress * kProgress * s.best_rz;
  const bool rising = sums.wPw > kRise * kRise * s.best_Sz;
  if (near && stalled && (flat || rising)) {
    end_or_go_on_plain(s, limits, true);
    return true;
  }
  if (flat) stop(s, PcrEnd::kIndefinite, false);
  return flat;
}

NSN_FUNCTION void keep_best(PcrState& s, const PcrSums& sums) {
  const bool first = s.best_Sz < 0.0;
  if (first || sums.wPw < s.best_Sz) {
    s.best_Sz = sums.wPw;
    s.best_rz = sums.rz;
  }
  if (first || sums.wPw <= 0.25 * s.saved_Sz) {
    s.saved_Sz = sums.wPw;
    s.save_best = 1;
  }
}

// The recomputed residual denies a claim: go on from x while that helps.
NSN_FUNCTION bool restart_helps(PcrState& s, const PcrSums& sums, const PcrLimits& limits) {
  const bool halved = s.restart_rr < 0.0 || sums.rr <= 0.25 * s.restart_rr;
  s.restart_rr = sums.rr;
  return ++s.restarts <= limits.max_restarts && halved;
}

NSN_FUNCTION void next_direction(PcrState& s, const PcrSums& sums) {
  s.beta = s.fresh != 0 ? 0.0 : sums.zw / s.old_zw;
  s.delta = sums.wPw - s.beta * s.beta * s.delta;
  if (!(s.delta > kCancelled * sums.wPw)) {  // the recurrence lost delta: begin a new direction
    s.beta = 0.0;
    s.delta = sums.wPw;
  }
  s.alpha = sums.zw / s.delta;
  s.old_zw = sums.zw;
  s.fresh = 0;
  ++s.iteration;
  s.action = PcrAction::kUpdate;
}

}  // namespace detail

/// Takes the sums of the present r, z = P r, w = S z and decides what happens next. The caller
/// obeys save_best and restore_best, then `action`; after kRecompute it sets r = b - S x and calls
/// again.
NSN_FUNCTION void decide(PcrState& s, const PcrSums& sums, const PcrLimits& limits) {
  using namespace detail;
  s.save_best = s.restore_best = 0;
  s.rr = sums.rr;
  if (!finite(sums.zw + sums.wPw + sums.rr + sums.rz)) {
    return stop(s, PcrEnd::kBreakdown, s.iteration > 0);
  }
  if (sums.rz > 0.0 && sums.wPw > s.norm * s.norm * sums.rz) s.norm = sqrt(sums.wPw / sums.rz);
  const PcrEnd claimed = claim(s, sums, limits);
  const bool cycle_over = sums.rr <= limits.cycle_reduction * limits.cycle_reduction * s.cycle_rr;
  if (s.fresh == 0 && (claimed != PcrEnd::kRunning || cycle_over)) {
    s.action = PcrAction::kRecompute;
    s.fresh = s.claimed = 1;
    return;
  }
  if (s.fresh != 0) {
    if (claimed == PcrEnd::kConverged) return stop(s, claimed, false);
    if (claimed == PcrEnd::kLeastSquares) return end_or_go_on_plain(s, limits, false);
    if (s.claimed != 0 && !restart_helps(s, sums, limits)) {
      return stop(s, PcrEnd::kRoundingReached, false);
    }
    s.cycle_rr = sums.rr;
    s.claimed = 0;
  }
  keep_best(s, sums);
  if (gives_up(s, sums, limits)) return;
  if (s.iteration >= limits.max_iterations) return stop(s, PcrEnd::kLimit, false);
  next_direction(s, sums);
  if (!finite(s.alpha) || !finite(s.beta)) stop(s, PcrEnd::kBreakdown, false);
}

}  // namespace nsn::cuda
