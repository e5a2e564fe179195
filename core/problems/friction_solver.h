/// Solves frictional-contact problems without any model: (W, q, mu) or (M, H, f, w, mu).
///
///   FrictionSolver solver({}, nsn::standard_backends());
///   FrictionResult result = solver.solve(problem);                // from r = 0
///   if (!result.solved()) fmt::print("{}\n", to_string(result.status));
///
/// `auto` chooses linear algebra and stages from what it measures (size, cost of a factorisation,
/// rows per degree of freedom, symmetry, progress):
///   form     global problems: over contacts, W formed through M, or over degrees of freedom,
///            S = M + H D^-1 H^T (primal_system.h), whichever takes fewer operations
///   sweeps   small problems from r = 0: a few Gauss-Seidel sweeps show whether it takes more (first_sweeps.h)
///   stages   a cheap factorisation: proximal Newton at once. An expensive one: a few iterations of
///            Anderson ADMM, Gauss-Seidel sweeps worth some factorisations, then proximal Newton
///   certificate   where that is hard: is there a solution at all? (no_solution.h)
///   rescue   if proximal Newton has not converged after 400 factorisations: it starts from the convex problem, and then,
///            in turn, from points of the shift map (shift_map.h), from Gauss-Seidel sweeps wherever
///            their error dips, and from random impulses
/// Each stage and its reason is in the report, and each method can be asked for alone.
///
/// Solved means: the errors recomputed from the data as given (friction_error.h) are
///     siconos, dynamics <= tolerance   and   unit_free <= unit_free_factor * tolerance.
/// W is solved as it is, also where it is not quite symmetric. A result that is not solved holds
/// the best iterate with its errors.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/no_solution.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/problems/friction_error.h"
#include "nsn/core/problems/friction_problem.h"

namespace nsn {

enum class FrictionMethod {
  kAuto,              ///< "auto"
  kProximalNewton,    ///< "proximal-newton": the engine of accurate steps, minimum map
  kProximalNewtonFb,  ///< "proximal-newton-fb": with Fischer-Burmeister normal rows
  kAdmm,              ///< "admm": Anderson-accelerated ADMM
  kGaussSeidel,       ///< "nsgs": Gauss-Seidel over contacts, exact local solutions
  kPaperMinimum,      ///< "paper-min": the fixed point u_T + w r_T = 0 with the minimum map
  kPaperFb,           ///< "paper-fb": the same with Fischer-Burmeister
  kAlartCurnier,      ///< "alart-curnier": exact derivative of the natural map, no proximal term
  kAlartCurnierSymmetric,  ///< "alart-curnier-symmetric": friction bound of the last iterate
  kAssociated,  ///< "associated": the convex problem, as engines of convex contact solve it; not Coulomb's
  kShiftMap,    ///< "shift-map": fixed point over convex problems, proximal Newton at its points
  kCertificate  ///< "certificate": only whether there is no solution
};
std::string_view to_string(FrictionMethod method);
/// Throws std::invalid_argument with the nearest names if unknown.
FrictionMethod friction_method_from_name(std::string_view name);
const std::vector<std::string>& friction_method_names();

/// How a global problem is solved.
enum class FrictionForm {
  kAuto,   ///< "auto": the one with fewer operations
  kDual,   ///< "dual": condensed, W over contacts
  kPrimal  ///< "primal": uncondensed, S over degrees of freedom; W is never formed
};
/// Throws std::invalid_argument with the nearest names if unknown.
FrictionForm friction_form_from_name(std::string_view name);

/// When `auto` tries sweeps before it builds anything. None of it changes what a solution is.
struct FirstSweepsOptions {
  /// Contacts of a small problem, >= 0; 0: no sweeps. Of larger problems hardly any is easy.
  int most_contacts = 64;
  /// Sweeps that an easy problem may take, >= 0: a Newton step takes as long as three to five of them, and problems that
  /// are not trivial take four Newton steps or more.
  int most_sweeps = 20;
};

/// How `auto` goes on where proximal Newton from r = 0 has not converged. None of it changes what a solution is, and
/// easy problems meet none of it.
struct RescueOptions {
  /// Factorisations after which it is asked whether there is a solution, >= 0: nine of ten problems take fewer.
  int ask_after = 50;
  /// Part of the way to mu |u_T| that the shift map goes, in (0, 1]: on closed packings the map contracts by itself.
  double relaxation = 0.9;
  /// Of proximal Newton from a point of the shift map, > 0: it is near a solution.
  double alpha_from_point = 1e-5;
  int from_point = 300;  ///< factorisations from there, >= 1
  int wander = 15;       ///< convex solves after which Newton is tried wherever the map is, >= 1
  /// A dip is an error below this part of that of the last one, in (0, 1).
  double dip = 0.3;
  int dip_sweeps = 100;  ///< sweeps between two measurements, >= 1
  int from_dip = 40;     ///< factorisations from a dip, >= 1: Newton is quick there or not at all
};

struct FrictionSolverOptions {
  FrictionMethod method = FrictionMethod::kAuto;
  FrictionForm form = FrictionForm::kAuto;  ///< of global problems; local ones have W only
  std::string linear = "contact-lu";  ///< backend of the Newton matrices, "name:key=value,..."
  std::string mass = "contact-lu";    ///< backend for M where it is not block diagonal
  double tolerance = 1e-8;
  double unit_free_factor = 100.0;
  /// Hard problems may take thousands of factorisations over many starts: give a time limit where
  /// each is expensive.
  int max_factorizations = 40000;
  int max_iterations = 100000;  ///< sweeps of nsgs, iterations of admm when asked for alone
  /// s of wall clock; 0: none. After the first product with W no unit of work starts that would not end in
  /// time, by its operations at the speed measured so far.
  double time_limit = 0.0;
  std::function<double()> clock;  ///< s, of time_limit; empty: the wall clock
  /// Asked between units of work; true ends the solve. It may throw.
  std::function<bool()> cancel;

  // ---- Constants of policy: none changes what a solution is (docs/friction_problems.md)
  /// Factorisations of proximal Newton from one start, >= 1: easy problems take 10 to 30, and one
  /// that cycles is left. Random starts get a quarter of it times 1 1 2 1 1 2 4 ...
  int attempt = 400;
  /// Time of the Gauss-Seidel sweeps before it if a factorisation is expensive, in factorisations,
  /// >= 0: what they save on average.
  double sweeps_worth = kSweepsWorth;
  FirstSweepsOptions first_sweeps;
  RescueOptions rescue;
  /// Of proximal Newton; tolerance, unit_free_factor and the budget are those above.
  ProximalOptions newton;
};

enum class FrictionStatus {
  kSolved,
  kBudgetReached,        ///< factorisations or iterations spent
  kTimeLimit,            ///< time_limit spent
  kCancelled,            ///< `cancel` said so
  kNoSolution,           ///< certified: FrictionResult::certificate
  kIndefinite,           ///< W is not positive semidefinite: FrictionResult::negative_energy
  kSuspectedUnsolvable,  ///< proximal steps converge without progress: there may be no solution
  kLinearFailure,        ///< no factorisation of M, or none of any Newton matrix
};
std::string_view to_string(FrictionStatus status);

/// One stage of a solve.
struct FrictionStage {
  std::string name;    ///< "dual", "primal", "admm", "nsgs", "proximal-newton", ...
  std::string reason;  ///< why it was run, with the numbers that decided
  int iterations = 0;  ///< Newton steps, sweeps, ADMM iterations
  int factorizations = 0;
  double seconds = 0.0;
  double siconos = 0.0;  ///< errors of the best iterate after it
  double unit_free = 0.0;
  bool solved = false;
};

struct FrictionResult {
  FrictionStatus status = FrictionStatus::kBudgetReached;
  FrictionMethod method = FrictionMethod::kAuto;
  Vector r;             ///< impulses, dimension * contacts
  Vector u;             ///< relative velocities, dimension * contacts
  Vector v;             ///< global problems: generalised velocities, dofs
  FrictionError error;  ///< recomputed from the problem's own data
  /// Of kNoSolution: z in kg m/s, one impulse per contact on the normals; every admissible motion needs a change of
  /// velocity of need |q_N|, both measured in scaled variables (no_solution.h).
  NoSolution certificate;
  /// Of kIndefinite: z . W z / |z|^2, scaled such that |W_ii| = 1 (indefinite.h).
  double negative_energy = 0.0;
  std::vector<FrictionStage> stages;
  int newton_iterations = 0;
  int linear_iterations = 0;  ///< Krylov iterations; 0 with a direct backend
  int sweeps = 0;             ///< Gauss-Seidel and ADMM iterations
  int factorizations = 0;
  double asymmetry = 0.0;            ///< max |W - W^T| / max |W|, of M for global problems
  double factorization_flops = 0.0;  ///< of a full Newton matrix, symmetric count; 0: unknown
  double seconds =
      0.0;  ///< everything: conversion, scaling, ordering, analysis, solve, final errors

  bool solved() const { return status == FrictionStatus::kSolved; }
};

class FrictionSolver {
 public:
  /// Throws std::invalid_argument for unknown linear solvers and options out of range. The registry
  /// is copied.
  FrictionSolver(const FrictionSolverOptions& options, const SolverRegistry& registry);

  const FrictionSolverOptions& options() const { return options_; }

  /// Starts from r0 (dimension * contacts) or from zero. Throws std::invalid_argument where sizes
  /// do not agree, numbers are not finite or a mu is negative.
  [[nodiscard]] FrictionResult solve(const FrictionProblem& problem, ConstVector r0 = {}) const;
  [[nodiscard]] FrictionResult solve(const BlockFrictionProblem& problem,
                                     ConstVector r0 = {}) const;
  [[nodiscard]] FrictionResult solve(const GlobalFrictionProblem& problem,
                                     ConstVector r0 = {}) const;

 private:
  template <class Problem>
  FrictionResult solve_local(const Problem& problem, Index dimension, ConstVector r0) const;

  FrictionSolverOptions options_;
  SolverRegistry registry_;
};

}  // namespace nsn
