/// An iterate of v = W x + q that never leaves its cones and boxes.
///
/// Beside Newton's iterate, which may be anywhere, a bounded method keeps this one: it moves only
/// to points of smaller error on the way to a projected iterate (cones are convex). Scaled
/// variables (core/contact/proximal_newton.h).
#pragma once

#include <vector>

#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"

namespace nsn {

class SafePoint {
 public:
  /// Takes the problem, which must live as long as this object uses it, and allocates.
  void fit(ProximalNewton& newton, const DualSystem& dual);

  /// Starts at the projection of r, kg m/s, 3 per block.
  void start(ConstVector r);
  ConstVector point() const { return safe_; }
  /// Largest error of the natural map, m/s.
  double error() const { return error_; }
  /// Moves to safe + t (z - safe) for the first t of the list 1, 1/2, 1/4, 1/10 that lowers the
  /// error; z is inside its cones. tries: how many of them.
  void offer(ConstVector z, int tries);
  /// The same for any x: its projection is offered.
  void offer_projected(ConstVector x);
  /// Takes the projection of Newton's iterate x, which was just measured, whatever its error.
  void take_iterate(ConstVector x);
  /// If contacts without any impulse have a smaller error than this point, they are the safe point
  /// from now on, box rows keep theirs. Returns true if so.
  bool drop_contact_impulses();
  /// r = the point, kg m/s.
  void impulses(Vector r);
  /// v = (W x) / s at the point, m/s without q.
  void response(Vector v) const;
  /// r_N >= 0, |r_T| <= mu r_N radially; box rows within their bounds.
  void project(Vector x) const;

 private:
  void measure();
  double error_of(ConstVector x, ConstVector v) const;

  ProximalNewton* newton_ = nullptr;
  const DualSystem* dual_ = nullptr;
  std::vector<double> arena_;
  Vector safe_, v_safe_, trial_, v_trial_, z_, v_;  // 3 per block
  double error_ = 0.0;
};

}  // namespace nsn
