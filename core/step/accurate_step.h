/// The accurate step: proximal full-step Newton (core/contact/proximal_newton.h) around rows that
/// are linearised again at every accepted proximal step.
///
///   linearise at (u, r):   W, q of the rows that stay (core/step/reductions/reduction.h)
///   one proximal step on   v = W r + q   with the laws of the rows
///   accepted:              u = u0 + base + push(r), measure, linearise there
///   rejected:              same linearisation, larger proximal parameter
///
/// Close to the solution the factor of a sparse H serves a second step.
///
/// After `restart_after` factorisations the step starts once more, from zero, and after that in the
/// fully converged mode: each linear problem is solved far below the step's error before the rows
/// are linearised again. On hundreds of contacts of low rank the path to a solution is long, and
/// rows that move under it lead away from it.
///
/// If factorising is expensive (large islands), Gauss-Seidel sweeps that cost some factorisations
/// come first, and the fully converged mode, also started from sweeps, replaces the second attempt.
#pragma once

#include <limits>
#include <memory>

#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/reductions/reductions.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

/// A step whose error, m/s, is still larger when its factorisations are spent may take `factor`
/// times as many in all.
struct Overtime {
  double error = std::numeric_limits<double>::infinity();
  int factor = 1;
};

class AccurateStep final : public StepMethod {
 public:
  AccurateStep(const NewtonOptions& options, const SolverRegistry& registry, StepMonitor& monitor,
               const Overtime& overtime = {});

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;

 private:
  struct Attempt {
    bool warm;
    int budget;           // factorisations
    bool fully = false;   // each linear problem is solved before the rows are linearised again
    bool sweeps = false;  // Gauss-Seidel first
  };
  /// How an attempt goes.
  struct Progress {
    int before = 0;       // iterations of the attempts before it
    int idle = 0;         // steps in a row that gained nothing
    double halved = 0.0;  // smallest error when it was halved last
    int halved_at = 0;    // factorisations then
  };

  void fit(const System& system);
  void build(const System& system);
  void find_cost();
  [[nodiscard]] bool linearise(StepEquations& equations, ConstVector u, ConstVector r);
  bool may_linearise() const;
  void sweep(State& state);
  void velocity(State& state);
  bool measure(StepEquations& equations, State& state);
  [[nodiscard]] bool start(StepEquations& equations, State& state, const Attempt& attempt);
  NewtonStatus iterate(StepEquations& equations, State& state, const Attempt& attempt,
                       NewtonResult& result);
  int small_systems(int budget) const;
  bool may_go_on(const Attempt& attempt, int linearisations) const;
  ProximalStep advance(State& state);
  bool idles_too_long(const ProximalStep& step, bool cheap, double error_before,
                      Progress& progress) const;
  void record(const ProximalStep& step, NewtonResult& result);
  void certify(NewtonResult& result) const;
  bool has_unknowns() const { return newton_ != nullptr; }
  int spent() const;
  bool exhausted(int budget, int linearisations) const;

  NewtonOptions options_;
  AccuratePolicy policy_;
  Overtime overtime_;
  StepMonitor& monitor_;
  std::unique_ptr<LinearSolver> normals_;  // of certificates
  DualSystem dual_;
  Reductions reductions_;
  StepReduction* reduction_ = nullptr;  // of the present pattern
  std::uint64_t pattern_id_ = 0;
  std::vector<RowLaw> laws_;  // of the rows that stay
  StepEvaluation at_;
  ProximalOptions proximal_;
  std::unique_ptr<ProximalNewton> newton_;      // none if no row stays
  std::unique_ptr<ContactGaussSeidel> sweeps_;  // if a factorisation is expensive
  int num_sweeps_ = 0;
  double forming_ = 0.0;  // operations of forming a linear problem
  // 3 per node; 3 per row block; 3 per row block that stays
  Vector step_u_, warm_r_, kept_r_;
  int linearisations_ = 0;     // of a sparse H in this attempt
  bool keeps_factor_ = false;  // the present one has the factor of the one before
  StepError error_;            // of the last measured iterate
  double smallest_ = 0.0;      // error of this attempt
  BestIterate best_;
};

}  // namespace nsn
