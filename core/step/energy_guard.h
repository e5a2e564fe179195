/// A step may not gain energy that no force and no moving body has put in.
#pragma once

#include <span>
#include <vector>

#include "nsn/core/step/reductions/reduction.h"

namespace nsn {

/// a . B b for 3x3 block diagonal B, 9 per node.
double inner(ConstVector blocks, ConstVector a, ConstVector b);

/// A linearised step as the guard sees it: impulses act on the motion that there is without them.
struct GuardedStep {
  ConstVector motion;           ///< 3 per node
  const BlockCsr* J = nullptr;  ///< all rows
  ConstVector q;                ///< 3 per kept block, v = W r + q
  std::span<const Index> kept;  ///< row blocks, ascending
};

class EnergyGuard {
 public:
  /// The energy a step gains beyond the work of applied forces, of bodies whose motion is given and
  /// of box rows is, with impulses s r on the motion b = origin + base without them, d = push(r),
  ///   w s^2 / 2 + B s - c0,    w = d M d,    c0 = what the motion b loses,
  ///   B = (b - a) M d + r prescribed (contacts) + r (q - J b) (box rows),
  /// a = h M^-1 f: what applied forces do. Shortens r (3 per kept block) and its push to where this
  /// is zero. Returns true if they were.
  bool limit(const System& system, StepReduction& reduction, Vector r, Vector push);
  static bool limit(const System& system, const GuardedStep& step, Vector r, Vector push);
  /// The same measure for a state of the last linearisation, v = W r + q its rows (3 per kept
  /// block), J.
  static double gain(const System& system, const StepReduction& reduction, ConstVector v,
                     const State& state);
  /// Of any state, v = value + E r its rows, J theirs.
  static double gain(const System& system, const BlockCsr& J, ConstVector v, const State& state);

 private:
  std::vector<double> motion_;
};

}  // namespace nsn
