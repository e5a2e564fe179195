/// What a step of one island ends with: its status, its iterations and its error.
///
/// How far an iterate is from the solution, the same for every method (docs/theory.md):
///
///   e_n = h max |min(v_N, rho r_N)|                        m      gap and normal impulse
///   e_f = max rho |r_T - Pi(r_T - v_T / rho)|              m/s    Pi: projection on |r_T| <= mu r_N
///   e_b = max rho |r - clip(r - v / rho, lo, hi)|          m/s    box rows
///   e_m = max s |u - u_free - M^-1 J^T r|                  m/s    momentum; s = 1 for particles and
///         centres of mass, for spins (rad/s) the radius of gyration of their body, m
///
///   total = max(e_n / h, e_f, e_b, e_m),     relative = total / max(|u_free|, h g)
///
/// [Macklin19] plots e_n and e_f alone.
///
/// v = value + E r with the rows evaluated at xi(u), rho the effective mass of each row at the start
/// of the step (ncp/natural_map.h). Never a solver's own scaled residual.
#pragma once

#include <string>
#include <string_view>

#include "nsn/core/base/index.h"
#include "nsn/core/device/traffic.h"
#include "nsn/core/linear/linear_status.h"

namespace nsn {

struct StepError {
  double normal = 0.0;    ///< e_n, m
  double friction = 0.0;  ///< e_f, m/s
  double box = 0.0;       ///< e_b, m/s
  double momentum = 0.0;  ///< e_m, m/s
  double total = 0.0;     ///< m/s; infinite if an iterate is not finite
  double relative = 0.0;  ///< total over the step's speed scale
  Index worst = -1;       ///< row block of the largest e_n / h, e_f or e_b; -1: none
};

enum class NewtonStatus {
  kConverged,      ///< relative error <= tolerance, or rounding reached below 1e-8 m/s
  kOnTarget,       ///< realtime: the error is at most the target, and above the tolerance
  kBudgetReached,  ///< max_iterations spent
  kStalled,        ///< no step improves the iterate
  kLinearFailure,  ///< no linear solver of the chain gave an answer
  kNonFinite,      ///< the equations themselves are not finite
  kCancelled,      ///< time budget spent, or the caller said stop
  kDeviceFailure,  ///< the device gave no memory or was lost; the state is that of the start
};
std::string_view to_string(NewtonStatus status);

/// What became of the promise of a method in a step (docs/choosing.md#what-each-preset-promises):
///
///   accurate   relative error <= tolerance
///   realtime   safe: finite, impulses in their cones, no energy gained, and e_n below h times the
///              fastest motion without impulses: penetration grows by less than that in the step.
///              It aims at a target: 1 % of the step's speed, or where joints turn far 1.5 h w of it
///   paper      relative error <= tolerance; with a tolerance of 0, its default: all iterations are
///              done, and the error is at most the fastest motion without impulses
enum class Promise {
  kReached,  ///< the tolerance or the target
  kMissed,   ///< not that; what is returned is finite, and of realtime safe
  kFailed,   ///< not even that: the motion returned is the best there was
};
std::string_view to_string(Promise promise);

/// One iteration: the state after it.
struct NewtonIteration {
  StepError error;
  double merit = 0.0;        ///< |(M^-1 g, h)|_2, m/s
  double step = 0.0;         ///< |(t du, M^-1-scaled t dr)| as max |t du|, m/s
  double step_length = 0.0;  ///< t; 1 for full-step methods, 0 for a rejected proximal step
  double alpha = 0.0;        ///< proximal parameter; 0 elsewhere
  int factorizations = 0;    ///< linear systems solved in it
  int linear_iterations = 0;
  LinearStatus linear_status = LinearStatus::kDirect;
  double linear_residual = 0.0;  ///< relative, recomputed
};

struct NewtonResult {
  NewtonStatus status = NewtonStatus::kNonFinite;
  int iterations = 0;         ///< Newton iterations, each one factorisation or Krylov solve
  int linear_iterations = 0;  ///< Krylov iterations of all of them
  StepError error;            ///< of what is returned
  Promise promise = Promise::kFailed;
  /// What the promise is judged by, m/s: the error, and what it may be.
  double target_error = 0.0;
  double target = 0.0;
  bool restarted = false;       ///< accurate: the rescue was used
  bool handed_over = false;     ///< realtime: the accurate method finished the step
  bool energy_limited = false;  ///< realtime: impulses were shortened by the energy bound
  std::string linear_solver;    ///< the solver of the chain that answered last
  /// What the linear systems were over: "rows", "rows, elastic ones eliminated", "rows, joints
  /// eliminated" or "nodes" (formulation of paper). A solver may choose a form of its own and says so
  /// in linear_solver.
  std::string_view form = "rows";
  double safe_seconds = 0.0;  ///< with a deadline: the first safe iterate took so long
  /// accurate: there is no solution, and how much of a velocity change every admissible motion needs
  /// (core/contact/no_solution.h); 0: nothing is known. Row blocks of the certificate.
  double no_solution = 0.0;
  std::vector<int> squeezed;
  std::string detail;  ///< what there is to say: a device's failure, work that did not fit
  /// paper: where rows were evaluated and linear systems solved, "device", "host" or
  /// "host (mirrored)", and what that took.
  std::string evaluate_on, solve_on;
  Traffic traffic;            ///< of the whole step
  Traffic iteration_traffic;  ///< of its iterations alone: without upload and answer

  /// The error is at most the tolerance, or the target.
  bool converged() const { return status <= NewtonStatus::kOnTarget; }
};

}  // namespace nsn
