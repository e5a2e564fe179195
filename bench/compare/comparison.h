/// Runs linear solvers side by side on one system and measures what each does.
///
/// Timed runs and observed runs are apart: times come from several runs without a monitor, the
/// solvers taking turns in a random order that a seed gives, so that all see the same states of the
/// machine; the residual history comes from one more run with a monitor, which costs extra products
/// and is not timed. The first run is told apart: it pays for pages and libraries that later runs
/// find there. Where other work takes the machine, processor time ranks instead of the clock.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/compare/contestant.h"
#include "bench/compare/outcome.h"
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
  std::uint64_t seed = 1;  ///< of the order of runs
  bool one_thread = true;  ///< processor time and time on the clock mean the same
};

/// A solver whose runs so far took less than kShortSeconds together runs again, kMostRepeats at
/// most: the least of three runs of a hundred microseconds says little.
inline constexpr double kShortSeconds = 0.1;
inline constexpr int kMostRepeats = 50;
/// A first run below this is a warm-up and does not count.
inline constexpr double kWarmUpSeconds = 0.01;
/// Processor time over time on the clock below which a run of one thread was held up.
inline constexpr double kHeldUp = 0.9;

/// Throws std::invalid_argument with the nearest names for a solver or an option that does not
/// exist, before anything is read.
void check_solvers(const SolverRegistry& registry, const std::vector<std::string>& solvers);

/// "pcr:precond=none,lift=true,cholmod" taken apart at the commas before solvers.
std::vector<std::string> split_solvers(const std::string& text);

/// What a comparison calls while it runs; all may be empty.
struct ComparisonCalls {
  /// Before each run, with the name of system and solver.
  std::function<void(const std::string& system, const std::string& solver)> on_run;
  /// A solver is done with the system.
  std::function<void(const SystemOutcome& system, const SolverOutcome& solver)> on_row;
  /// True: no further run; solvers that have not run are left out.
  std::function<bool()> stopped;
  /// The contestant for a solver; empty: one in this process.
  std::function<std::unique_ptr<Contestant>(const std::string& spec, SystemForm form)> enter;
  /// Outcomes that are known already, by label.
  std::map<std::string, SolverOutcome> known;
};

SystemOutcome compare_on(const LinearSystem& system, const SolverRegistry& registry,
                         const ComparisonOptions& options, const ComparisonCalls& calls = {});

}  // namespace nsn::bench
