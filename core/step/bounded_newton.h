/// Spends a bounded number of factorisations on one linearised problem v = W r + q, and always has
/// a safe answer (core/step/safe_point.h).
///
/// Proximal full-step Newton (core/contact/proximal_newton.h) does the work. Without known
/// impulses, Anderson-accelerated ADMM (it counts as a factorisation) and Gauss-Seidel sweeps make
/// the start; sweeps also polish what is left at the end.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nsn/core/contact/anderson_admm.h"
#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/dual_system.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/policy.h"
#include "nsn/core/step/reductions/reduction.h"
#include "nsn/core/step/safe_point.h"
#include "nsn/core/step/step_method.h"

namespace nsn {

class BoundedNewton {
 public:
  BoundedNewton(const NewtonOptions& options, const SolverRegistry& registry, StepMonitor& monitor);

  /// Returns true if an analysis exists for rows of these kinds.
  bool fits(std::span<const RowLaw> laws) const;
  /// New friction coefficients and bounds on the same pattern.
  void change_laws(std::span<const RowLaw> laws) { newton_->change_laws(laws); }
  /// Takes pattern and laws of a new problem.
  void analyze(StepReduction& reduction, std::span<const RowLaw> laws);
  void observe(DualSystem::Observer observer) { dual_.observe(std::move(observer)); }

  /// New values of W and q.
  void set_problem(StepReduction& reduction);
  /// Starts at impulses r, kg m/s, 3 per block; goal: error, m/s, at which no more is spent.
  void start(ConstVector r, double goal);

  /// Until result.iterations reaches `budget`. cold: nothing is known of the impulses.
  void solve(int budget, bool cold, NewtonResult& result);
  /// The same up to the error `goal`, m/s, from a start that is nearly a solution: the proximal weight
  /// is small at once.
  void solve_near(int budget, double goal, NewtonResult& result);
  /// The same for a problem of contacts, limits and drives alone. Few blocks are solved from zero
  /// first; many, as in a jam, need the impulses they had. first: this linearisation is the step's
  /// first.
  void solve_reduced(int budget, bool few, bool first, NewtonResult& result);
  /// Contacts without impulse are better than the start: they are the start from now on.
  bool drop_contact_impulses();

  SafePoint& safe() { return safe_; }
  /// One more factorisation fits in the time.
  [[nodiscard]] bool may_factorise() { return newton_->may_factorise(); }
  /// Between two pieces of work that are done in any case: a wish to stop that throws is heard.
  void hear() const { static_cast<void>(monitor_.work().cancelled()); }
  bool reached_goal() const { return safe_.error() <= goal_; }
  std::string_view linear_solver() { return dual_.solver().name(); }

 private:
  void centre_on_safe();
  bool may_start_admm();
  void start_cold(NewtonResult& result);
  void iterate(int budget, double alpha, NewtonResult& result);
  [[nodiscard]] bool solve_from_zero(int budget, NewtonResult& result);
  void sweep(Vector x, int passes);
  void polish();
  void record(double alpha, const NewtonSolve& solve, NewtonResult& result);

  RealtimePolicy policy_;
  int max_iterations_;
  StepMonitor& monitor_;
  DualSystem dual_;
  bool direct_ = true;   // a factorisation serves many solves
  bool lagged_ = false;  // a symmetric Krylov solver: the friction bound lags by one iterate
  std::unique_ptr<ProximalNewton> newton_;
  std::unique_ptr<ContactGaussSeidel> sweeps_;
  std::unique_ptr<AndersonAdmm> admm_;
  StepReduction* reduction_ = nullptr;
  bool sweeps_fit_ = false;  // sweeps_ has the values of the present problem
  SafePoint safe_;
  double goal_ = 0.0;
  std::vector<double> arena_;
  Vector x_, zero_;  // 3 per block
};

}  // namespace nsn
