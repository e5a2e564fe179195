/// One body on a joint against trajectories of a multibody program (ADAMS), published with the
/// Chrono project: seven cases of five joint types, 5 s at rest from t = 0.
///
/// Each quantity is a tab-separated file NAME_ADAMS_QUANTITY.txt: three lines of head, then time
/// and three (quaternions: four) columns every 0.01 s. Reactions are those on the ground, about the
/// joint, in world axes. The measure is the root mean square of the difference over time, the
/// largest of the columns; the tolerances are those of Chrono's own tests at h = 5e-4 s.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/math3.h"
#include "nsn/models/step/simulation.h"

namespace nsn::bench {

inline constexpr std::array<std::string_view, 6> kJointQuantities{"Pos",  "Vel",    "Quat",
                                                                  "Avel", "Rforce", "Rtorque"};

struct JointCase {
  std::string name;                   ///< e.g. "Revolute_Case01"
  std::string type;                   ///< e.g. "revolute"
  Vec3 point;                         ///< of the joint
  Quaternion turned{};                ///< of joint and body; the joint's axis is z
  std::array<double, 6> tolerance{};  ///< by kJointQuantities
};
const std::vector<JointCase>& joint_cases();

struct JointRun {
  double h = 5e-4;  ///< s; 0.01 s must be a multiple of it
  ForceDirections directions = ForceDirections::kStartOfStep;
  /// The whole experiment, gravity included, is moved and turned; results are turned back.
  Vec3 moved{};
  Quaternion turned{};
};

struct JointComparison {
  std::array<double, 6> rms{};  ///< by kJointQuantities; m, m/s, 1, rad/s, N, N m
  double drift = 0.0;           ///< largest of a rigid row, m or rad
  double energy_change = 0.0;   ///< largest |E - E0|, J
  int unconverged = 0;          ///< steps
  double reach = 0.0;           ///< largest distance from the origin, m
  /// N: a position of size `reach` is rounded by epsilon reach / 2 in every step, and what puts it
  /// back onto the joint's axis is a force of this size; a reaction cannot be known better.
  double force_floor = 0.0;

  /// The published one, for reactions at least the floor (torque: floor times reach).
  double tolerance(const JointCase& reference, std::size_t quantity) const;
  bool within(const JointCase& reference) const;
};

/// Simulates and compares with the files in `folder`. Throws InputError for a file that is missing
/// or broken, std::invalid_argument for a step that 0.01 s is no multiple of.
JointComparison compare_joint(const JointCase& reference, const std::filesystem::path& folder,
                              const JointRun& run);

}  // namespace nsn::bench
