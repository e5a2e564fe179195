/// Proximal full-step Newton method for frictional contact: robust where W is rank deficient.
///
///     u = W r + q,    K* contains u + mu |u_T| e_N, orthogonal to r in K   (contacts)
///                     lower <= r <= upper, complementary to u              (box rows)
///
/// Outer loop: around the centre r solve the better posed problem with u + A(x - r) in place of u,
/// A = alpha D, then move the centre; alpha falls while that is easy and rises when it fails. Inner
/// loop: Newton's method on the natural map with FULL steps. There is no line search and no merit
/// function on purpose: the error plateaus or rises before it drops, since r drifts along null
/// vectors of W until a contact meets its cone. What guards the iteration is alpha, and the best
/// iterate is kept.
///
/// Everything runs in scaled variables, one number a contact (cones stay cones) and one a box row,
///     s = |W_ii|_2^(-1/2),   W <- S W S,  q <- S q,  r <- r / s,
/// so the iteration does not depend on units. Errors refer to the original ones (friction_error.h).
///
///   DualSystem system(registry.make("contact-lu"));
///   system.analyze(W);                                   // pattern: orders, allocates
///   system.set_values(W, symmetric);
///   ProximalNewton newton(system, rows);
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

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "nsn/core/base/types.h"
#include "nsn/core/contact/contact_rows.h"
#include "nsn/core/contact/newton_system.h"

namespace nsn {

/// The complementarity function of the contacts' normal rows.
enum class NormalMap {
  kMinimum,           ///< x_N = max(x_N - u_N, 0)
  kFischerBurmeister  ///< x_N + u_N - sqrt(x_N^2 + u_N^2) = 0; friction bound mu max(x_N, 0)
};

struct ProximalOptions {
  /// Solved: error_siconos <= goal * tolerance and
  /// error_unit_free <= goal * unit_free_factor * tolerance.
  /// goal < 1 leaves room for rounding when the errors are formed again.
  double tolerance = 1e-8;
  double unit_free_factor = 100.0;
  double goal = 0.9;

  int max_factorizations = 1000;  ///< Newton steps of run(), and what history is reserved for
  int max_inner = 12;             ///< Newton steps of one proximal step
  double alpha_cold = 1e-2;       ///< start from r = 0
  double alpha_warm = 1e-4;       ///< start from the last time step's r
  double alpha_min = 1e-13;
  double alpha_max = 10.0;
  /// Proximal weight of box rows: redundant joints stay solvable. Bounded ones (limits, drives at
  /// their effort) get a weight of their own after two steps in a row were rejected, or one where
  /// there are no contacts: full steps can cycle between their bounds, and no weight of a contact
  /// stops that.
  double box_weight = 1e-12;
  /// Box rows get the weight of contacts instead: for complementarity problems without contacts.
  bool box_follows_alpha = false;
  /// A_i falls with the load of contact i, |r_i| against the median, within this factor either way.
  double load_clip = 1e3;
  /// Tangential weights are A_N / m^2 with m = clip(mu, 0.05, friction_ceiling).
  double friction_ceiling = 1e9;
  /// After a failure alpha stays above twice the failed one, a bound that falls by this factor a
  /// step. Small: fast on easy problems. Near 1: more patience where solutions repel the iteration.
  double failure_decay = 0.6;
  NormalMap normal_map = NormalMap::kMinimum;
  /// The friction bound is that of the last iterate: symmetric Newton matrices, slower on hard
  /// problems.
  bool lagged_coupling = false;
};

enum class StepOutcome {
  kSolved,    ///< an iterate met the tolerance; it is the new r
  kAccepted,  ///< the proximal problem was solved; r moved, alpha was updated
  kRejected,  ///< it was not; r stays, alpha rose
  kBudget,    ///< max_factorizations spent
};

/// Errors of one iterate (friction_error.h), both unit-free in the end.
struct ProximalError {
  double siconos = std::numeric_limits<double>::infinity();
  double unit_free = std::numeric_limits<double>::infinity();
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
  /// Throws std::invalid_argument if rows and system do not agree or a row is invalid.
  ProximalNewton(NewtonSystem& system, const ContactRows& rows,
                 const ProximalOptions& options = {});

  /// Other rows of the same system, which was analysed anew: all as in a new object, but the
  /// options and the room stay. Throws as the constructor does.
  void refit(const ContactRows& rows);

  const ProximalOptions& options() const { return options_; }
  const ContactRows& rows() const { return rows_; }

  /// New values of W (already given to the system) and of q, m/s, 3 per block. The centre r keeps
  /// its value in kg m/s. mu and bounds may change with it: see change_rows().
  void update(ConstVector q);
  /// New q alone: W and the rows are those of the last update().
  void update_q(ConstVector q);
  /// New friction coefficients and bounds on the same kinds; takes effect at the next update().
  void change_rows(const ContactRows& rows);

  /// Starts at r (kg m/s) with alpha; forgets failures, the best iterate and the history.
  void start(ConstVector r, double alpha);

  /// One proximal step.
  [[nodiscard]] ProximalStep step();
  /// Steps until solved, the budget is spent or stop() says so between two steps; continues from
  /// the present state.
  [[nodiscard]] ProximalReport run(const std::function<bool()>& stop = {});
  /// A tighter or looser aim, e.g. where errors formed anew miss the tolerance.
  void set_goal(double goal) { options_.goal = goal; }
  void set_budget(int max_factorizations) { options_.max_factorizations = max_factorizations; }
  /// Another weighting from the next step on; see ProximalOptions.
  void set_weighting(double load_clip, double friction_ceiling) {
    options_.load_clip = load_clip;
    options_.friction_ceiling = friction_ceiling;
  }
  void set_patience(int max_inner, double failure_decay);
  void set_normal_map(NormalMap map) { options_.normal_map = map; }

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
  /// x += d, a full step at the x last measured. ok = false: no step was taken.
  [[nodiscard]] NewtonSolve newton_step();
  /// r = x.
  void move_centre();
  /// x in kg m/s.
  void iterate(Vector out) const;
  void set_iterate(ConstVector x);
  void scaled_iterate(Vector out) const;
  /// W x + q of the iterate last measured.
  ConstVector scaled_velocity() const { return v_; }
  void set_scaled_iterate(ConstVector x);

  /// The centre r, kg m/s.
  void reactions(Vector out) const;
  /// The iterate of least error since the last start() or update(), kg m/s, and its error.
  void best_reactions(Vector out) const;
  const ProximalError& best_error() const { return best_error_; }

  double alpha() const { return alpha_; }
  void set_alpha(double alpha) { alpha_ = alpha; }
  int factorizations() const { return factorizations_; }
  const std::vector<ProximalIteration>& history() const { return history_; }

  /// The scaled problem, for stages that share it: x = r / s, W <- S W S, q <- S q.
  NewtonSystem& system() const { return system_; }
  ConstVector scaling() const { return s_; }
  ConstVector scaled_q() const { return q_; }
  ConstVector scaled_lower() const { return lower_; }
  ConstVector scaled_upper() const { return upper_; }
  void scaled_centre(Vector out) const;
  /// Moves the centre without a change of alpha.
  void set_scaled_centre(ConstVector x);
  /// A of the present proximal step, scaled.
  ConstVector weights() const { return A_; }

  /// Errors of a scaled x with v = W x + q; remembers the best. For stages that share the problem.
  ProximalError offer(ConstVector x, ConstVector v);
  bool meets_goal(const ProximalError& error) const;

 private:
  void set_weights();
  double median_reaction();
  void velocity(ConstVector x, Vector v);
  void compute_scaling();
  Residual evaluate();
  void evaluate_contact(Index i);
  void evaluate_box(Index i);
  bool diverged(int inner, double phi) const;
  double box_weight(Index k) const;
  void accept(int inner);
  void reject();
  void record(int inner, const Residual& residual, const ProximalError& error);

  NewtonSystem& system_;
  ContactRows rows_;
  ProximalOptions options_;
  Index blocks_ = 0;
  double q_norm_ = 0.0;        // scaled
  double q_norm_given_ = 0.0;  // as given
  double alpha_ = 0.0;
  double alpha_failed_ = 0.0;
  double box_alpha_ = 0.0;  // weight of bounded box rows once it is needed
  int rejected_ = 0;        // steps in a row
  bool any_contact_ = false;
  int factorizations_ = 0;
  int proximal_steps_ = 0;
  bool velocity_known_ = false;  // v_r_ belongs to r_
  ProximalError best_error_;
  std::vector<ProximalIteration> history_;
  std::vector<double> phi_norms_;
  std::vector<double> sorted_;
  std::vector<BlockLinearization> linearization_;
  std::vector<double> arena_;  // all vectors below
  Vector s_, q_, r_, v_r_, best_, A_, x_, v_, u_, phi_, b_, d_, Wd_, z_, lower_, upper_;
};

}  // namespace nsn
