/// What the methods of a time step have in common: results, history, time, observation.
///
/// A method (core/step/accurate_step.h, realtime_step.h, paper/device_step.h) solves the step of one
/// island. Its solver (core/step/newton.h) owns the monitor: the clock, the caller's wish to stop,
/// the history and the observer of linear systems exist once per solver, whichever methods work
/// together on a step.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/work_clock.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/step/newton_result.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/system.h"

namespace nsn {

/// One Newton matrix before it is solved, for export.
struct NewtonSystemView {
  int iteration = 0;            ///< linear systems of this step shown before it
  const BlockCsr* S = nullptr;  ///< what the linear solver gets
  ConstVector b{};
  bool symmetric = true;
  const BlockCsr* J = nullptr;  ///< unreduced rows, if S is made of them
  ConstVector H{};              ///< 9 per node
  ConstVector C{};              ///< 9 per row block
  std::string_view form;        ///< which formulation S belongs to: compliance, stiffness, proximal
  const BlockCsr* W = nullptr;  ///< proximal: the friction problem v = W r + q it belongs to
  ConstVector q{};
  ConstVector positions{};  ///< of the nodes of H, 3 per node, m, where all are points and known
};
using NewtonObserver = std::function<void(const NewtonSystemView&)>;

/// Clock, cancel, history and observer of one solver.
class StepMonitor {
 public:
  /// time_budget: s per step, 0: none. now: s; empty: the wall clock.
  StepMonitor(double time_budget, std::function<double()> now, std::function<bool()> cancel)
      : time_budget_(time_budget), work_(std::move(now), std::move(cancel)) {}

  /// A step starts; deadline: in the time of work().now(), infinite: the time budget from now on.
  void begin(double deadline);
  /// What is left of it, and what fits.
  WorkClock& work() { return work_; }
  const WorkClock& work() const { return work_; }
  /// The caller wants to stop, or the time budget is spent. Asked between iterations.
  bool out_of_time() const { return work_.out_of_time(); }

  /// Room for this many iterations, at most 400; later ones of a step are not recorded.
  void reserve_history(int iterations);
  void record(const NewtonIteration& iteration);
  const std::vector<NewtonIteration>& history() const { return history_; }

  void observe(NewtonObserver observer) { observer_ = std::move(observer); }
  bool observed() const { return static_cast<bool>(observer_); }
  /// Numbers the system and shows it.
  void show(NewtonSystemView view);

 private:
  double time_budget_;
  WorkClock work_;
  std::vector<NewtonIteration> history_;
  NewtonObserver observer_;
  int shown_ = 0;
};

/// The iterate of least error so far.
class BestIterate {
 public:
  /// Forgets, and starts with u_free, r = 0 and an infinite error.
  void reset(const System& system);
  /// Takes the iterate if its error is smaller.
  void offer(const State& state, const StepError& error);
  void take(const State& state, const StepError& error);
  void restore(State& state) const;
  const StepError& error() const { return error_; }

 private:
  std::vector<double> u_, r_;
  StepError error_;
};

/// One of several islands that are solved together; state as StepMethod::solve() has it.
struct IslandStep {
  StepEquations* equations = nullptr;
  State* state = nullptr;
  bool warm = false;
  NewtonResult result;
};

/// A method that solves a step.
class StepMethod {
 public:
  virtual ~StepMethod() = default;
  /// state.r: starting impulses (zeros if not warm); on return u and r of the answer.
  [[nodiscard]] virtual NewtonResult solve(StepEquations& equations, State& state, bool warm) = 0;
  /// Islands that do not touch: the answers of solve(). A device takes small ones in one launch, and
  /// records no iterations of those.
  virtual void solve_all(std::span<IslandStep> islands) {
    for (IslandStep& one : islands) one.result = solve(*one.equations, *one.state, one.warm);
  }
  /// Returns true if what solve() returns for such a step does not depend on the steps solved
  /// before it, and costs little more if those were of other islands.
  virtual bool shareable(const System&) const { return false; }
};

}  // namespace nsn
