#include "nsn/core/problems/first_sweeps.h"

#include <cmath>

#include "nsn/core/contact/contact_gauss_seidel.h"

namespace nsn {
namespace {

/// At this rate the sweeps left do not reach the goal. A rate rises from sweep to sweep: what is
/// expected here is the least.
bool too_slow(int left, double change, double last, double goal) {
  if (!(change < last)) return true;
  return std::log(goal / change) < left * std::log(change / last);
}

}  // namespace

FirstSweeps sweep_first(const BlockCsr& W, ConstVector q, std::span<const RowLaw> laws,
                        int most_sweeps, double goal, Vector x, const std::function<bool()>& solved,
                        const std::function<bool()>& cancel) {
  ContactGaussSeidel solver(W, laws);
  FirstSweeps done;
  for (double last = 1.0; done.sweeps < most_sweeps;) {
    if (cancel && cancel()) break;
    const double change = solver.sweep(q, x);
    ++done.sweeps;
    if (change <= goal) {
      done.solved = solved();
      if (done.solved || change == 0.0) break;
    } else if (done.sweeps > 1 && too_slow(most_sweeps - done.sweeps, change, last, goal)) {
      break;
    }
    last = change;
  }
  return done;
}

}  // namespace nsn
