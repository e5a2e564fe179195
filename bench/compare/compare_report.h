/// What `nsn compare` found, as rows (JSON, CSV), as tables for a terminal and as a page.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/report_json.h"
#include "bench/compare/comparison.h"

namespace nsn::bench {

/// One row per system and solver; one per refused system, its solver empty and its status
/// "refused".
std::vector<cli::Row> to_rows(const std::vector<SystemOutcome>& systems);

/// "system,solver,iteration,residual,preconditioned_residual,normal_residual": every iteration of
/// every observed run.
std::string history_csv(const std::vector<SystemOutcome>& systems);

/// The table of one system with a line above it, for a terminal.
std::string to_text(const SystemOutcome& system);

/// What a reader of times has to know of the machine; empty where there is nothing.
std::string busy_warning(const std::vector<SystemOutcome>& systems);

/// A sentence per finding, computed from the outcomes: who was fastest where, what failed.
std::vector<std::string> findings(const std::vector<SystemOutcome>& systems);

/// One self-contained page: findings, overview, and per system a table and its convergence curves.
/// `stopped` says where an interrupt ended the comparison, if one did.
std::string to_html(const std::vector<SystemOutcome>& systems, const ComparisonOptions& options,
                    const std::string& stopped = "");

}  // namespace nsn::bench
