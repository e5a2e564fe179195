/// Proximal full-step Newton method for frictional contact: robust if W is rank deficient.
///
///     u = W r + q,    r in the cone, orthogonal to u + mu |u_T| e_N in its dual   (contacts)
///                     lower <= r <= upper, complementary to u              (box rows)
///
/// Outer loop: around the centre r solve the better posed problem with u + A(x - r) in place of u,
/// A = alpha D, then move the centre; alpha falls while that is easy and rises when it fails. Inner
/// loop: Newton's method on the natural map with FULL steps. There is no line search and no merit
/// function on purpose: the error plateaus or rises before it drops, since r drifts along null
/// vectors of W until a contact meets its cone. What guards the iteration is alpha, and the best
/// iterate is kept.
///
/// Everything runs in scaled variables (core/contact/scaled_problem.h).
///
///   DualSystem system(registry.make("contact-lu"));
///   system.analyze(W);                                   // pattern: orders, allocates
///   system.set_values(W, symmetric);
///   ProximalNewton newton(system, laws);
///   newton.update(q);
///   newton.start(r0, newton.options().alpha_warm);
///   ProximalReport report = newton.run();                // a bare problem, or, in a time step:
///
///   while (...) {
///     switch (newton.step().outcome) {                   // one proximal step
///       case kAccepted: case kSolved:                    // linearise again at the new r
///         newton.reactions(r);  ...  system.set_values(W, symmetric);  newton.update(q);
///       case kRejected: break;                           // alpha is larger now, same W and q
///     }
///   }
///
/// Nothing allocates after the constructor.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/base/work_clock.h"
#include "nsn/core/contact/newton_system.h"
#include "nsn/core/contact/proximal_schedule.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/contact/scaled_problem.h"
#include "nsn/ncp/natural_map.h"

namespace nsn {

struct ProximalOptions {
  /// Solved: error_siconos <= goal * tolerance and
  /// error_unit_free <= goal * unit_free_factor * tolerance.
  /// goal < 1 leaves room for rounding when the errors are formed again.
  double tolerance = 1e-8;
  double unit_free_factor = 100.0;
  double goal = 0.9;

  int max_factorizations = 1000;  ///< Newton steps of run(), and what history is reserved for
  double alpha_cold = 1e-2;       ///< start from r = 0
  double alpha_warm = 1e-4;       ///< start from the last time step's r
  /// Start from a guess.
  double alpha_between() const { return std::sqrt(alpha_cold * alpha_warm); }
  ProximalSchedule schedule;  ///< how alpha moves
  /// Proximal weight of box rows: redundant joints stay solvable. Bounded ones (limits, drives at
  /// their effort) may get more (ProximalSchedule::box_weight).
  double box_weight = 1e-12;
  /// Box rows get the weight of contacts instead: for complementarity problems without contacts.
  bool box_follows_alpha = false;
  /// A_i falls with the load of contact i, |r_i| against the median, within this factor either way,
  /// >= 1: loads far from the solution mean little.
  double load_clip = 10.0;
  /// Tangential weights are A_N / m^2 with m = clip(mu, 0.05, friction_ceiling), > 0.05.
  double friction_ceiling = 0.5;
  ncp::NormalMap normal_map = ncp::NormalMap::kMinimum;
  /// The friction bound is that of the last iterate: symmetric Newton matrices, slower on hard
  /// problems.
  bool lagged_coupling = false;
};

enum class StepOutcome {
  kSolved,    ///< an iterate met the tolerance; it is the new r
  kAccepted,  ///< the proximal problem was solved; r moved, alpha was updated
  kRejected,  ///< it was not; r stays, alpha rose
  kBudget,    ///< max_factorizations spent, or no further one fits in the time
};

/// What one proximal step did.
struct ProximalStep {
  StepOutcome outcome = StepOutcome::kRejected;
  int newton_steps = 0;       ///< factorisations
  int linear_iterations = 0;  ///< Krylov iterations of all of them
  double alpha = 0.0;         ///< that it was done with
  double residual = 0.0;      ///< |phi| of the last iterate, scaled variables
  bool linear_failure = false;
  ProximalError error;  ///< of the last iterate
};

/// One Newton iterate: state before the step that the linear fields describe.
struct ProximalIteration {
  int proximal_step = 0;
  int inner = 0;
  double alpha = 0.0;
  double residual = 0.0;   ///< |phi|, scaled
  double proximity = 0.0;  ///< |A (x - r)|, scaled
  ProximalError error;
  int linear_iterations = 0;
  LinearStatus linear_status = LinearStatus::kDirect;
  double linear_residual = 0.0;  ///< relative
};

struct ProximalReport {
  bool solved = false;
  int proximal_steps = 0;
  int rejected_steps = 0;
  int factorizations = 0;
  int linear_iterations = 0;
  double alpha = 0.0;   ///< the next one
  ProximalError error;  ///< of the best iterate
  /// alpha reached its floor with inner loops that converge and an error that does not fall: the
  /// problem may have no solution.
  bool suspected_unsolvable = false;
};

class ProximalNewton {
 public:
  /// The system must live as long as this object. Allocates everything.
  /// Throws std::invalid_argument if laws and system do not agree or a law is invalid.
  ProximalNewton(NewtonSystem& system, std::span<const RowLaw> laws,
                 const ProximalOptions& options = {});

  /// Other laws for the same system, which was analysed again: all as in a new object, but the
  /// options and the room stay. Throws as the constructor does.
  void refit(std::span<const RowLaw> laws);

  const ProximalOptions& options() const { return options_; }
  /// As given.
  std::span<const RowLaw> laws() const { return problem_.given_laws(); }

  /// New values of W (already given to the system) and of q, m/s, 3 per block. The centre r keeps
  /// its value in kg m/s. mu and bounds may change with it: see change_laws().
  void update(ConstVector q);
  /// New friction coefficients and bounds on the same kinds; takes effect at the next update().
  void change_laws(std::span<const RowLaw> laws) { problem_.change_laws(laws); }

  /// Starts at r (kg m/s) with alpha; forgets failures, the best iterate and the history.
  void start(ConstVector r, double alpha);

  /// One proximal step; before every factorisation the clock of obey() is asked, and ends it as a spent
  /// budget does.
  [[nodiscard]] ProximalStep step();
  /// Steps until solved, the budget is spent or stop() says so; continues from the present state.
  [[nodiscard]] ProximalReport run(const std::function<bool()>& stop = {});
  /// A tighter or looser aim, e.g. if errors formed again miss the tolerance.
  void set_goal(double goal) { options_.goal = goal; }
  void set_budget(int max_factorizations) { options_.max_factorizations = max_factorizations; }
  /// No Newton step starts that would not end in time. The clock must outlive this object; null: none.
  void obey(WorkClock* clock) { clock_ = clock; }
  /// One more Newton step fits.
  [[nodiscard]] bool may_factorise();
  /// Operations of one, full; 0: unknown. Analyses the pattern.
  double factorization_flops();

  /// The parts of step(), for loops with their own rules (a fixed number of factorisations, say):
  ///   begin();  measure();  { newton_step();  measure(); } ...  move_centre();
  /// x = r, and the weights A from r and alpha.
  void begin();
  /// v = W x + q, natural map and linearisation at x.
  struct Residual {
    double phi = 0.0;        ///< |phi|, scaled variables
    double proximity = 0.0;  ///< |A (x - r)|, scaled variables
  };
  Residual measure();
  /// That iterate solves the proximal problem well enough, |phi| <= |A (x - r)|, or the problem
  /// itself to rounding.
  bool solved_well(const Residual& residual) const;
  /// x += d, a full step at the x last measured. ok = false: no step was taken.
  [[nodiscard]] NewtonSolve newton_step();
  /// r = x.
  void move_centre();
  void scaled_iterate(Vector out) const;
  /// W x + q of the iterate last measured.
  ConstVector scaled_velocity() const { return v_; }
  void set_scaled_iterate(ConstVector x);

  /// The centre r, kg m/s.
  void reactions(Vector out) const;
  /// The iterate of least error since the last start() or update(), kg m/s, and its error.
  void best_reactions(Vector out) const;
  const ProximalError& best_error() const { return best_error_; }

  double alpha() const { return schedule_.alpha; }
  void set_alpha(double alpha) { schedule_.alpha = alpha; }
  int factorizations() const { return factorizations_; }
  const std::vector<ProximalIteration>& history() const { return history_; }

  /// The scaled problem, for stages that share it.
  const ScaledProblem& problem() const { return problem_; }
  ConstVector scaling() const { return problem_.s(); }
  ConstVector scaled_q() const { return problem_.q(); }
  void scaled_centre(Vector out) const;
  /// Moves the centre without a change of alpha.
  void set_scaled_centre(ConstVector x);

  /// Errors of a scaled x with v = W x + q; remembers the best. For stages that share the problem.
  ProximalError offer(ConstVector x, ConstVector v);
  bool meets_goal(const ProximalError& error) const;

 private:
  void set_weights();
  double median_reaction();
  Residual evaluate();
  NewtonSolve solve_newton_system();
  double box_weight(const RowLaw& law, int k) const;
  void record(int inner, const Residual& residual, const ProximalError& error);
  void record(const NewtonSolve& solve);
  bool solved_at_centre(ProximalStep& result);

  ScaledProblem problem_;
  ProximalOptions options_;
  ProximalSchedule schedule_;
  WorkClock* clock_ = nullptr;
  double flops_ = -1.0;  // of a factorisation; -1: not asked yet
  int factorizations_ = 0;
  int proximal_steps_ = 0;
  bool velocity_known_ = false;  // v_r_ belongs to r_
  ProximalError best_error_;
  std::vector<ProximalIteration> history_;
  std::vector<double> sorted_;
  std::vector<ncp::BlockLinearization> linearization_;
  std::vector<double> arena_;  // all vectors below
  Vector r_, v_r_, best_, A_, x_, v_, u_, phi_, b_, d_, Wd_, z_;
};

}  // namespace nsn
