/// Closed loops over all scenes: how well a preset solves what its own motion leads it into.
///
/// Every step of every scene is measured with the fully implicit error (core/step/step_error.h), the
/// energy that a step gains beyond the work done on it, and the friction cones.
#pragma once

#include <string>
#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/models/step/simulation.h"

namespace nsn::robustness {

/// A scene with its parameters, as it is sampled.
struct Case {
  std::string scene;
  Options::Assignments parameters;

  std::string name() const;  ///< "wall rows=5 columns=6"
};

/// All scenes of rigid bodies that stick, slide, roll, stack, lean and pile up; sliding stacks, the
/// hard ones, with six seeds.
std::vector<Case> all_cases();
/// The cases of these scenes; a scene that is not among all_cases() is sampled with its defaults.
/// Throws std::invalid_argument with the nearest names for an unknown one.
std::vector<Case> cases_of(const std::vector<std::string>& scenes);

/// What one configuration did on one case.
struct Sample {
  std::vector<double> error;           ///< m/s, per step
  std::vector<double> factorizations;  ///< per step, of the island that took most
  /// Largest of a step beyond the work done on it, in units of the weight times 1 m.
  double energy_gain = 0.0;
  double cone_violation = 0.0;  ///< largest excess of |r_T| over mu r_N, relative to r_N
  double penetration = 0.0;     ///< m, largest
  int handed_over = 0;          ///< steps
  bool blown_up = false;        ///< not finite, or faster than 1 km/s
};
Sample run(const Case& one, const SimulationOptions& options, int steps);

/// Many cases as one line of a table.
struct Summary {
  int cases = 0;
  int steps = 0;
  int solved = 0;  ///< steps with an error <= 1e-8 m/s
  double factorizations_mean = 0.0;
  double factorizations_median = 0.0;
  double error_median = 0.0;  ///< geometric mean over cases of the median, m/s
  double error_p95 = 0.0;     ///< geometric mean over cases of the 95 % quantile, m/s
  double error_max = 0.0;     ///< m/s
  double energy_gain = 0.0;
  double cone_violation = 0.0;
  int handed_over = 0;
  int blown_up = 0;  ///< cases
};
Summary summarise(const std::vector<Sample>& samples);

}  // namespace nsn::robustness
