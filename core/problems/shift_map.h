/// Coulomb's problem as a fixed point over convex ones:
///
///     s  ->  mu |u_T(s)|      u(s): velocity of the convex problem shifted by s (core/contact/convex_contact.h)
///
/// A fixed point solves the friction problem. Closed packings, which have impulses that push against each other without
/// any load, often stick everywhere: the first convex solve then is the answer, where proximal Newton has to move the
/// impulses along null vectors of W in small steps. Elsewhere the map is relaxed, s += relaxation (mu |u_T| - s), and
/// what it passes is a start for proximal Newton. On open heaps it wanders.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsn/core/contact/convex_contact.h"
#include "nsn/core/contact/proximal_newton.h"

namespace nsn {

class ShiftMap {
 public:
  /// newton: offers its best iterate; W: its scaled matrix, symmetric. Both must outlive it.
  ShiftMap(ProximalNewton& newton, const BlockCsr& W, std::unique_ptr<LinearSolver> solver,
           double relaxation);

  struct Step {
    ProximalError error;   ///< least in the convex solve, of Coulomb's problem
    double largest = 0.0;  ///< of its two errors, each over its tolerance
    int factorizations = 0;
    bool solved = false;
  };
  /// One convex solve at the present shift, then the shift moves. stop(): asked before every factorisation.
  Step step(const std::function<bool()>& stop, int max_factorizations);
  /// The iterate of step().error, scaled.
  ConstVector x() const { return x_; }

 private:
  ProximalNewton& newton_;
  ConvexContact convex_;
  double relaxation_;
  std::vector<double> shift_;
  Vector x_;
  int steps_ = 0;
};

}  // namespace nsn
