/// Friction problems solved, as rows (JSON, CSV), as tables for a terminal and as a page with
/// performance profiles.
///
/// A performance profile [Dolan and More 2002] shows for each method m the share of problems
///     rho_m(tau) = |{ p : t_p,m <= tau min_m' t_p,m' }| / |problems that some method solves|
/// that it solves within tau times the time of the fastest: high on the left is fast, high on the
/// right is robust.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/report_json.h"
#include "bench/friction/friction_outcome.h"
#include "bench/report/svg_chart.h"

namespace nsn::bench {

/// One flat row per outcome; a refused file has status "refused" and its reason in detail.
std::vector<cli::Row> to_rows(const std::vector<FrictionOutcome>& outcomes);

/// For a terminal, one line an outcome.
std::string to_text(const std::vector<FrictionOutcome>& outcomes);

/// One contact per line: r, then u, 17 digits, separated by commas (LCP: z, w).
std::string solution_csv(const FrictionOutcome& outcome);
/// One impulse on the normal per contact, kg m/s (core/contact/no_solution.h).
std::string certificate_csv(const FrictionOutcome& outcome);

/// rho_m as stairs: tau ascending from 1, the share reached at each.
struct ProfileCurve {
  std::string method;
  std::vector<double> tau;
  std::vector<double> share;
};
std::vector<ProfileCurve> performance_profile(const std::vector<FrictionOutcome>& outcomes);

/// The profile as a chart.
report::Chart profile_chart(const std::vector<ProfileCurve>& curves);

/// One self-contained page: how many each method solves, the profile, a table per problem.
std::string to_html(const std::vector<FrictionOutcome>& outcomes, double tolerance);

}  // namespace nsn::bench
