/// The accurate step: proximal full-step Newton (core/contact/proximal_newton.h) around rows that are
/// linearised again at every accepted proximal step.
///
///   linearise at (u, r):   J, value at q(u);  H = M + geometric stiffness of r
///                          u_f = u - H^-1 M (u - u_free)
///                          W = J H^-1 J^T + E,    q = J (u_f - u) + value
///   one proximal step on   v = W r + q   with the laws of the rows
///   accepted:              u = u_f + H^-1 J^T r, measure, linearise there
///   rejected:              same linearisation, larger proximal parameter
///
/// Where elastic rows are eliminated or H is sparse (core/step/elastic_mass.h), W, q and u_f are those
/// of the rows that stay. Close to the solution the factor of H serves a second step.
///
/// After `restart_after` factorisations the step starts once more, from zero, and after that goes
/// the long way: each linear problem is solved far below the step's error before the rows are
/// linearised anew. On hundreds of contacts of low rank the path to a solution is long, and rows
/// that move under it lead away from it.
///
/// Where a factorisation is dear (large islands) Gauss-Seidel sweeps worth some of them come first,
/// and the long way, from sweeps too, follows the first attempt at once.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/step/delassus.h"
#include "nsn/core/step/elastic_mass.h"
#include "nsn/core/step/newton.h"

namespace nsn {

/// A step whose error, m/s, is still larger when its factorisations are spent may take `factor`
/// times as many in all.
struct Overtime {
  double error = std::numeric_limits<double>::infinity();
  int factor = 1;
};

class AccurateStep final : public StepMethod {
 public:
  AccurateStep(const NewtonOptions& options, const SolverRegistry& registry,
               const Overtime& overtime = {});

  [[nodiscard]] NewtonResult solve(StepEquations& equations, State& state, bool warm) override;
  const std::vector<NewtonIteration>& history() const override { return history_; }
  void observe(NewtonObserver observer) override;

 private:
  void fit(const System& system);
  void build(const System& system);
  [[nodiscard]] bool linearise(StepEquations& equations, ConstVector u, ConstVector r);
  [[nodiscard]] bool linearise_sparse(StepEquations& equations, ConstVector u, ConstVector r);
  /// u = u_f + H^-1 J^T r with the J of the last linearisation, made at start_u_; where H is sparse
  /// also step_u_ = u - start_u_, before it is rounded to u.
  void velocity(const System& system, ConstVector r, Vector u);
  /// Rows and error at state.u. Where rows are eliminated: their impulses there, and a shorter step
  /// from start_u_ where the elastic forces of a full one would drive it back.
  StepError evaluate(StepEquations& equations, State& state);
  void add_kept_impulse(double factor, ConstVector r, Vector f) const;
  double slope(const System& system, const State& state);
  /// One proximal step, or none where no row stays.
  ProximalStep advance(State& state);
  bool has_unknowns() const { return !mass_.sparse() || !mass_.kept().empty(); }
  int spent() const;
  bool exhausted(int budget, int linearisations) const;
  bool measure(StepEquations& equations, State& state);
  enum class Linearise {
    kAlways,      // at every accepted step
    kNearBest,    // where the error is at most ten times the smallest so far
    kWhenSolved,  // where the linear problem is solved well below the error of the step
  };
  struct Attempt {
    bool warm;
    int budget;
    Linearise linearise;
    bool sweeps = false;  // Gauss-Seidel first
  };
  NewtonStatus iterate(StepEquations& equations, State& state, const Attempt& attempt,
                       NewtonResult& result);
  bool linearises(Linearise rule, const ProximalStep& step) const;
  void find_cost();
  void sweep(State& state);
  void record(const StepError& error, const ProximalStep& step, NewtonResult& result);
  bool out_of_time() const;

  NewtonOptions options_;
  AccuratePolicy policy_;
  Overtime overtime_;
  const SolverRegistry* registry_;
  NewtonObserver observer_;
  std::vector<NewtonIteration> history_;
  std::chrono::steady_clock::time_point started_;

  std::uint64_t pattern_id_ = 0;
  ContactRows rows_;
  StepEvaluation at_;
  Delassus delassus_;
  ElasticMass mass_;
  std::unique_ptr<DualSystem> dual_;
  std::unique_ptr<ProximalNewton> newton_;
  std::unique_ptr<ContactGaussSeidel> sweeps_;  // where a factorisation is dear
  int num_sweeps_ = 0;
  int longest_ = 0;  // factorisations of a step
  Vector H_, H_inverse_, u_f_, base_step_, q_, scratch_, start_u_, start_r_, warm_r_, best_u_,
      best_r_, kept_r_, linear_kept_r_, change_kept_r_, step_u_, linear_r_;
  ProximalOptions proximal_;
  bool ready_ = false;
  int linearisations_ = 0;     // sparse ones of this attempt
  bool keeps_factor_ = false;  // the present one has the factor of the one before
  double step_length_ = 1.0;   // of the last evaluate()
  int observed_ = 0;           // linear systems shown to the observer
  StepError error_;            // of the last measured iterate
  StepError best_error_;       // of best_u_, best_r_
  double smallest_ = 0.0;
};

}  // namespace nsn
