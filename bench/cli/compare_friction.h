/// `nsn compare` on friction problems: all methods side by side, with performance profiles.
#pragma once

#include <string>
#include <vector>

#include "bench/cli/common_options.h"

namespace nsn::cli {

struct CompareFrictionOptions : CommonOptions {
  std::vector<std::string> paths;
  std::string methods;       ///< comma-separated; empty: all of FrictionSolver
  double tolerance = 1e-8;   ///< Siconos' error; 100 times that for the unit-free one
  int repeats = 1;           ///< the least time counts
  double time_limit = 10.0;  ///< s per solve
};

/// Whether the inputs are friction problems rather than linear systems: no path is a .mtx file, and
/// a folder holds files but no .mtx file at any depth.
bool are_friction_problems(const std::vector<std::string>& paths);

/// Prints the table, writes compare.html, .json and .csv into `out`. Exit code: 0 if every usable
/// problem was solved by some method, 1 otherwise. Throws InputError if no problem is usable.
int compare_friction(const CompareFrictionOptions& options);

}  // namespace nsn::cli
