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
  /// Newton steps of one proximal step, >= 1. A step that takes n of them lowers alpha by the factor
  /// n / max_inner: much after an easy one, not at all after one that nearly failed.
  int max_inner = 12;
  /// A step whose |phi| grew by this factor over its first two iterates fails, > 1.
  double runaway = 10.0;
  double rise = 3.0;  ///< factor on alpha after a rejected step, > 1
  /// What alpha rose to stays a lower bound, which falls by this factor per accepted step, [0, 1).
  /// 0: failures are forgotten; near 1: more patience if solutions repel the iteration.
  double failure_decay = 0.6;

  // ---- State
  double alpha = 1e-2;      ///< of the next step
  double bound = 0.0;       ///< of alpha since the last failure
  double box_weight = 0.0;  ///< of bounded box rows; 0: not needed so far
  int rejected = 0;         ///< steps in a row

  /// Forgets failures.
  void restart(double first_alpha) {
    alpha = first_alpha;
    bound = box_weight = 0.0;
    rejected = 0;
  }

  /// start: the larger |phi| of the first two iterates.
  bool runs_away(int newton_steps, double phi, double start) const {
    return !std::isfinite(phi) || (newton_steps >= 3 && phi > runaway * start);
  }

  /// A proximal step was accepted after `newton_steps`.
  void on_accept(int newton_steps) {
    const double factor = std::min(1.0, static_cast<double>(newton_steps) / max_inner);
    bound *= failure_decay;
    alpha = std::clamp(std::max(factor * alpha, bound), alpha_min, alpha_max);
    box_weight *= factor;
    rejected = 0;
  }

  /// A proximal step failed; contacts: the problem has some.
  void on_reject(bool contacts) {
    alpha = bound = std::min(rise * alpha, alpha_max);
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
};

}  // namespace nsn
