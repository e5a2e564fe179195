/// What became of one friction problem: the row of `nsn solve` and of `nsn compare` on such
/// problems.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nsn/core/base/types.h"

namespace nsn::bench {

/// A problem file among the inputs.
struct ProblemSource {
  std::string name;  ///< file name; made unique among the inputs
  std::filesystem::path path;
};

/// Files as given; a folder stands for the regular files directly in it, by name, hidden ones left
/// out. Throws InputError for a path that does not exist or a folder without files.
std::vector<ProblemSource> find_problems(const std::vector<std::string>& paths);

struct FrictionOutcome {
  std::string problem;  ///< name of the source
  std::string path;
  std::string refusal;  ///< why the file could not be used; empty if it was

  std::string kind;     ///< local, global or lcp
  std::string storage;  ///< of the matrices in the file
  Index dimension = 0;  ///< numbers per contact: 2 or 3; 1 for an LCP
  Index contacts = 0;   ///< or unknowns of an LCP
  Index rank = -1;      ///< of W; -1 where it was not computed
  double asymmetry = 0.0;

  std::string method;   ///< as asked for, e.g. "auto"
  std::string status;   ///< solved, no-solution (certified), not-solved; refused in tables
  std::string reason;   ///< to_string(FrictionStatus) or of LcpStatus
  std::string detail;   ///< stages and switches, or what went wrong
  bool solved = false;  ///< errors recomputed here are within the tolerance
  int newton_iterations = 0;
  int linear_iterations = 0;
  int sweeps = 0;  ///< Gauss-Seidel sweeps and ADMM iterations
  int factorizations = 0;
  double seconds = 0.0;  ///< least of the repeats: analysis and solve, not reading
  double error_siconos = 0.0;
  double error_unit_free = 0.0;
  double min_normal_velocity = 0.0;  ///< m/s
  double max_cone_violation = 0.0;   ///< kg m/s

  std::vector<double> r;  ///< impulses (z of an LCP)
  std::vector<double> u;  ///< velocities, recomputed (w of an LCP)
  /// Of no-solution: impulses on the normals, kg m/s, one per contact, and the change of velocity that every
  /// admissible motion needs, over |q_N|, both measured in scaled variables (core/contact/no_solution.h).
  std::vector<double> certificate;
  double certificate_need = 0.0;
};

/// InputError with all reasons, one line each, unless some problem was usable.
void throw_if_nothing_was_usable(const std::vector<FrictionOutcome>& outcomes);

}  // namespace nsn::bench
