/// Constants of policy of the time-step methods: what decides when to go on, to stop, to restart.
/// None of them changes what a solution is; they change how soon it is found, or how good a bounded
/// number of iterations is. Each has a unit, a range and a reason, which policy_fields() lists:
///
///   AccuratePolicy policy;
///   set_policy(policy, {{"patience", "20"}});  // nsn run --policy patience=20
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/core/contact/factorization_cost.h"

namespace nsn {

/// Of the accurate method (core/step/accurate_step.h).
struct AccuratePolicy {
  double fine = 1e-8;  ///< m/s: errors below are those of rounding if they do not fall any more
  int patience = 8;    ///< factorisations that must halve such an error; idle steps before a stall
  /// Factorisations that Gauss-Seidel before expensive ones may cost.
  double sweeps_worth = kSweepsWorth;
  double hardly_moved = 1e-5;  ///< relative error below which the factor of H serves once more
};

/// Of the realtime method (core/step/realtime_step.h).
struct RealtimePolicy {
  double goal = 1e-7;             ///< m/s: error at which no more is spent
  double hand_over_error = 1e-2;  ///< m/s: above, the accurate method takes over if that is allowed
  int sweeps = 10;                ///< of Gauss-Seidel at the end
  /// Error that is worth another linearisation if joints are eliminated, of the step's speed.
  double worth_joints = 0.01;
  /// The same if bodies turn far, of their turn in the step: a step of first order leaves h w / 2
  /// of a limb's speed, however well it is solved, and the worst limbs spin faster than the
  /// average.
  double worth_turn = 1.5;
  double linear_share = 0.1;  ///< of that: error of a linear problem that is good enough
  int overtime = 3;           ///< times the factorisations, for few rows or elastic elements
  /// Operations of a linearisation, some milliseconds, up to which joint rows are eliminated; beyond,
  /// if that takes fewer than a factorisation with them.
  double cheap_elimination = 3e7;
  double far_speed = 2.0;  ///< m/s or rad/s: rows still this far off at the end of the step, over h
};

/// One field of a policy: its name, range, default and reason, its unit, and where it is.
template <class Policy>
struct PolicyField {
  OptionSpec spec;
  std::string unit;  ///< "1": a ratio or a count
  std::variant<double Policy::*, int Policy::*> member;
};
/// All fields, in the order of the struct.
template <class Policy>
const std::vector<PolicyField<Policy>>& policy_fields();
template <>
const std::vector<PolicyField<AccuratePolicy>>& policy_fields();
template <>
const std::vector<PolicyField<RealtimePolicy>>& policy_fields();

/// Sets fields by name. Throws std::invalid_argument for an unknown name, with the nearest ones, and
/// for a value out of range.
void set_policy(AccuratePolicy& policy, const Options::Assignments& values);
void set_policy(RealtimePolicy& policy, const Options::Assignments& values);

/// Throws std::invalid_argument naming the first field out of range, and its value.
void validate(const AccuratePolicy& policy);
void validate(const RealtimePolicy& policy);

}  // namespace nsn
