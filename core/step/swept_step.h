/// A step by Gauss-Seidel sweeps over its rows, without any matrix: what there is time for where the
/// matrices of a method are too expensive, and the first safe iterate of a step with a deadline.
///
///   swept.start(equations, r);            // rows at the start of the step, one sweep
///   while (... && swept.go_on()) {}       // some more sweeps; keeps the best iterate
///   swept.restore(state);
///
/// The rows are linearised once, at the velocity of the last step, v = J u + q. Each block is solved
/// exactly in turn with what the others do (core/contact/contact_gauss_seidel.h), through the
/// velocities of its bodies: a sweep costs a few hundred operations a block, however many share a
/// body. Impulses are in their cones, u = u_free + M^-1 J^T r, and what would gain energy is
/// shortened (energy_guard.h).
#pragma once

#include <memory>
#include <vector>

#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/step/energy_guard.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

/// Pairs of row blocks that share a node, each node counted.
double pairs_of_rows(const System& system);
/// Operations of forming W = J M^-1 J^T, its pattern and its order.
double forming_operations(const System& system);

class SweptStep {
 public:
  explicit SweptStep(WorkClock& clock) : clock_(clock) {}

  /// r: impulses to start from, 3 per block; they are clipped to their laws.
  void start(StepEquations& equations, ConstVector r);
  /// Sweeps as time permits. Returns false if nothing fits, or the error does not fall any more.
  bool go_on(StepEquations& equations);
  const StepError& error() const { return best_.error(); }
  void restore(State& state) const { best_.restore(state); }
  /// A state of the step has more energy than forces and bodies of given motion have put in.
  bool gains_energy(StepEquations& equations, const State& state);

 private:
  void linearise(StepEquations& equations);
  void sweep(StepEquations& equations, int passes);
  double operations(int passes) const;

  WorkClock& clock_;
  StepEvaluation rows_, at_;  // at the start of the step, and at the iterate
  std::vector<RowLaw> laws_;
  std::vector<Index> all_, begin_;         // 0, 1, ...: every row block, and the pattern of W_
  std::vector<double> diagonal_, factor_;  // blocks (i, i) of W; J M^-1
  BlockCsr W_;                             // its diagonal alone
  std::unique_ptr<ContactGaussSeidel> sweeps_;
  Vector x_, q_, ones_;  // 3 per block
  Vector u_, push_;      // 3 per node
  BestIterate best_;
  int idle_ = 0;  // measurements since the error was halved
  double halved_ = 0.0;
};

}  // namespace nsn
