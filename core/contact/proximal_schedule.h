/// How the proximal parameter alpha follows the success of proximal steps.
///
/// alpha weighs the proximal term in scaled variables, where W_ii has the norm 1. A step that was
/// easy (few Newton steps) lowers it, towards the problem itself; one that failed raises it, towards
/// a problem that is better posed.
#pragma once

#include <algorithm>
#include <cmath>

namespace nsn {

struct ProximalSchedule {
  // ---- Constants; no unit but for counts
  double alpha_min = 1e-13;  ///< > 0: below, rounding of W is larger
  double alpha_max = 10.0;   ///< >= alpha_min: above, the proximal term alone decides a step
  /// |phi| <= accept_ratio |A (x - r)|: the proximal problem is solved well enough, (0, 1).
  double accept_ratio = 0.5;
  double after_1 = 0.02;  ///< factor on alpha after a step of 1 Newton step, (0, 1): easy
  double after_3 = 0.2;   ///< of 2 or 3
  double after_6 = 0.5;   ///< of 4 to 6
  double beyond = 1.0;    ///< of more: accepted, but nearly failed
  double rise = 3.0;      ///< factor on alpha after a rejected step, > 1
  /// After a failure alpha stays above this many times the failed one; 0: failures are forgotten.
  double failure_margin = 2.0;
  /// That bound falls by this factor per accepted step, [0, 1). Small: fast on easy problems.
  /// Near 1: more patience if solutions repel the iteration.
  double failure_decay = 0.6;

  // ---- State
  double alpha = 1e-2;      ///< of the next step
  double failed = 0.0;      ///< alpha of the last failure, decayed
  double box_weight = 0.0;  ///< of bounded box rows; 0: not needed so far
  int rejected = 0;         ///< steps in a row

  /// Forgets failures.
  void restart(double first_alpha) {
    alpha = first_alpha;
    failed = box_weight = 0.0;
    rejected = 0;
  }

  /// A proximal step was accepted after `newton_steps`.
  void on_accept(int newton_steps) {
    const double factor = factor_after(newton_steps);
    alpha = std::clamp(std::max(factor * alpha, failure_margin * failed), alpha_min, alpha_max);
    failed *= failure_decay;
    box_weight *= factor;
    rejected = 0;
  }

  /// A proximal step failed; contacts: the problem has some.
  void on_reject(bool contacts) {
    failed = alpha;
    alpha = std::min(rise * alpha, alpha_max);
    ++rejected;
    // Bounded box rows get a weight once two steps in a row were rejected, or one if there are no
    // contacts: full steps can cycle between the bounds, and no weight of a contact stops that. The
    // first is that of scaled W.
    if (box_weight > 0.0 || rejected >= 2 || !contacts) {
      box_weight = std::clamp(rise * box_weight, 1.0, alpha_max);
    }
  }

  /// A linear system had no solution: half of the decades up to alpha_max, since a matrix is
  /// singular to rounding or it is not.
  void on_breakdown() { alpha = std::sqrt(alpha * alpha_max); }

 private:
  double factor_after(int newton_steps) const {
    if (newton_steps <= 1) return after_1;
    if (newton_steps <= 3) return after_3;
    return newton_steps <= 6 ? after_6 : beyond;
  }
};

}  // namespace nsn
