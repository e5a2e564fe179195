/// What a comparison measures: runs, histories, and the outcome of each solver on each system.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "nsn/core/linear/linear_solver.h"

namespace nsn::bench {

/// Seconds of one run on the clock and of all threads of the process together.
struct RunTime {
  double setup = 0.0;
  double solve = 0.0;
  double setup_cpu = 0.0;
  double solve_cpu = 0.0;

  double total() const { return setup + solve; }
  double cpu() const { return setup_cpu + solve_cpu; }
};

/// Norms after each iteration, from the observed run; empty for direct solvers.
struct History {
  std::vector<int> iteration;
  std::vector<double> residual;        ///< |r|_2
  std::vector<double> preconditioned;  ///< sqrt(r^T P r); 0 where a solver does not form it
  std::vector<double> normal;          ///< |A r|_2; 0 where a solver does not form it
};

/// How the matrix is handed to a solver.
enum class SystemForm {
  kAssembled,  ///< its entries
  kFactored,   ///< as J H^-1 J^T + C
  kPrimal      ///< H + J^T C^-1 J in its place (core/step/reductions/primal_solver.h)
};
/// "assembled", "factored", "primal"
const char* to_string(SystemForm form);
/// "" or " (factored)"
std::string suffix(SystemForm form);
/// Of a word of to_string().
SystemForm system_form_from(std::string_view word);

/// One solver on one system.
struct SolverOutcome {
  std::string label;      ///< the solver as asked for, and the suffix of the form
  std::size_t style = 0;  ///< the same for the same label in every system: colours of charts
  SystemForm form = SystemForm::kAssembled;
  bool direct = false;
  std::string refusal;        ///< not empty: it did not run, and why
  std::string ended;          ///< "time-limit", "memory-limit" or "crashed": no answer
  LinearReport report;        ///< of the fastest run; detail says where it ended without an answer
  RunTime cold;               ///< the first run, with everything to be loaded and touched
  std::vector<RunTime> runs;  ///< those that count; without the cold one if it was short
  double bandwidth_fraction = 0.0;  ///< bytes moved / solve time / triad
  /// Of a solve on many processes: how many, and the longest time of one over the shortest; seconds on
  /// the clock are those of the slowest, those of the processor of all together.
  int ranks = 0;
  double imbalance = 1.0;
  History history;

  bool ran() const { return refusal.empty(); }
  bool ok() const { return ran() && ended.empty() && report.ok(); }
  /// Of the run that was fastest on the clock or in processor time; 0 without a run.
  RunTime least(bool by_cpu) const;
  /// Total of each run, ascending.
  std::vector<double> totals(bool by_cpu) const;
  double seconds(bool by_cpu) const;  ///< least total
  /// Median over least total: 1 on a quiet machine.
  double spread(bool by_cpu) const;
};

/// The slower half of what `b` took is not needed: the slowest of a's faster half is below all of b.
bool certainly_faster(const SolverOutcome& a, const SolverOutcome& b, bool by_cpu);

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
  double others = 0.0;  ///< share of the machine that other work took meanwhile, 0...1
  bool by_cpu = false;  ///< times are ranked by processor time: the machine was busy
  std::vector<SolverOutcome> solvers;

  bool ok() const;                       ///< at least one solver solved it
  const SolverOutcome* fastest() const;  ///< of those that solved it; null: none
};

/// For the wire between processes and for rows on disk; numbers keep all their digits.
nlohmann::ordered_json to_json(const SolverOutcome& outcome);
SolverOutcome solver_outcome_from(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const LinearReport& report);
LinearReport linear_report_from(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const RunTime& time);
RunTime run_time_from(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const History& history);
History history_from(const nlohmann::ordered_json& json);

}  // namespace nsn::bench
