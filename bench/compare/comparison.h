/// Runs linear solvers side by side on one system and measures what each does.
///
/// Timed runs and observed runs are apart: times are the least of several runs without a monitor,
/// the solvers taking turns so that all see the same state of the machine; the residual history
/// comes from one more run with a monitor, which costs extra products and is not timed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/compare/systems.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn::bench {

struct ComparisonOptions {
  std::vector<std::string> solvers;  ///< "pcr", "pcg:precond=none"; checked by check_solvers()
  LinearControl control;
  int repeats = 3;  ///< timed runs of each solver, >= 1; more of short ones (kShortSeconds)
  /// A run that failed or took longer than this is not repeated, s.
  double patience = 1.0;
};

/// A solver whose runs so far took less than kShortSeconds together runs again, kMostRepeats at
/// most: the least of three runs of a hundred microseconds says little.
inline constexpr double kShortSeconds = 0.02;
inline constexpr int kMostRepeats = 50;

/// Norms after each iteration, from the observed run; empty for direct solvers.
struct History {
  std::vector<int> iteration;
  std::vector<double> residual;        ///< |r|_2
  std::vector<double> preconditioned;  ///< sqrt(r^T P r); 0 where a solver does not form it
  std::vector<double> normal;          ///< |A r|_2; 0 where a solver does not form it
};

/// One solver on one system.
struct SolverOutcome {
  std::string label;      ///< the solver as asked for, " (factored)" behind it for that operator
  std::size_t style = 0;  ///< the same for the same label in every system: colours of charts
  bool factored = false;
  bool direct = false;
  std::string refusal;  ///< not empty: it did not run, and why
  LinearReport report;  ///< of the fastest run
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;
  int repeats = 0;
  double bandwidth_fraction = 0.0;  ///< bytes moved / solve time / triad
  History history;

  bool ran() const { return refusal.empty(); }
  bool ok() const { return ran() && report.ok(); }
  double total_seconds() const { return setup_seconds + solve_seconds; }
};

/// All solvers on one system; or why the system was refused.
struct SystemOutcome {
  std::string name;
  std::string path;
  std::string refusal;  ///< not empty: nothing ran
  Index rows = 0;
  Index nonzeros = 0;
  bool symmetric = true;
  std::string rhs;
  std::string storage;    ///< of the assembled matrix: "csr" or "3x3 blocks"
  std::string note;       ///< why there is no factored variant although factors were given
  double rhs_norm = 0.0;  ///< |b|_2
  double triad_bytes_per_second = 0.0;
  std::vector<SolverOutcome> solvers;

  bool ok() const;  ///< at least one solver solved it
};

/// Throws std::invalid_argument with the nearest names for a solver or an option that does not
/// exist, before anything is read.
void check_solvers(const SolverRegistry& registry, const std::vector<std::string>& solvers);

/// "pcr:precond=none,lift=true,cholmod" taken apart at the commas before solvers.
std::vector<std::string> split_solvers(const std::string& text);

/// Called before each run with the name of system and solver.
using OnRun = std::function<void(const std::string& system, const std::string& solver)>;

SystemOutcome compare_on(const LinearSystem& system, const SolverRegistry& registry,
                         const ComparisonOptions& options, const OnRun& on_run = {});

}  // namespace nsn::bench
