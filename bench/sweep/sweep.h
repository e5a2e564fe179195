/// The full factorial: every combination of the values of some choices, each a closed-loop run of
/// one scene.
///
///   Sweep sweep{.scene = "arch", .factors = {parse_factor("linear=pcr,cholmod"),
///                                            parse_factor("mu=0.4,0.6")}};
///   check(sweep);
///   for (const Cell& cell : cells(sweep)) rows.push_back(run_cell(sweep, cell));
///   write_file("sweep.html", study::study_page(sweep_outcomes(sweep, rows), {}));
///
/// A key is an option of `nsn run` without its dashes (preset, ncp, friction, r, linear, damping,
/// geometric-stiffness, time-step, ...), `preconditioner` (of the linear solver), or a parameter of
/// the scene.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/cli/simulation_options.h"
#include "bench/study/study.h"

namespace nsn::sweep {

struct Factor {
  std::string key;
  std::vector<std::string> values;  ///< at least one, each once
};
/// "key=a,b,c"; values that hold commas themselves are separated by ';'. Throws
/// std::invalid_argument for a missing key, an empty or a repeated value.
Factor parse_factor(std::string_view text);

struct Sweep {
  std::string scene;
  cli::SimulationFlags flags;  ///< what all cells share
  std::vector<Factor> factors;
  int steps = 240;
};

/// One value per factor, in their order.
using Cell = std::vector<std::string>;
std::vector<Cell> cells(const Sweep& sweep);
/// "linear=pcr mu=0.4"
std::string name_of(const Sweep& sweep, const Cell& cell);

/// Throws std::invalid_argument for an unknown scene or key and for a value that its key refuses.
void check(const Sweep& sweep);

/// The factors, a status (ok, blown up, or why the cell could not be run), the measures of the run
/// and its hash (bench/support/run_hash.h), null where there was none. A combination that a solver
/// refuses is a failed cell, not an error, and so is a solver that this machine does not have.
study::Row run_cell(const Sweep& sweep, const Cell& cell);
/// The row of a cell without a run: the status as given, all measures null.
study::Row row_without_run(const Sweep& sweep, const Cell& cell, std::string_view status);

/// The cells with the best of each measure marked, then the effect of each factor on its own: the
/// geometric mean of each measure over all cells that share a value. Cells and values that are alike
/// are named together. A factor whose values leave every run the same bit by bit has no effect, and
/// no best value.
std::vector<study::StudyOutcome> sweep_outcomes(const Sweep& sweep,
                                                const std::vector<study::Row>& rows);

}  // namespace nsn::sweep
