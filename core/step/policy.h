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
#include "nsn/core/base/types.h"

namespace nsn {

/// Of the accurate method (core/step/accurate_step.h).
struct AccuratePolicy {
  /// After a restart: linearise again only if e <= restart_band x the smallest error so far, >= 1.
  double restart_band = 10.0;
  int longest_history = 400;  ///< iterations that are recorded
  int max_idle_steps = 4;     ///< proximal steps in a row that cost and gain nothing
  double least_gain = 0.5;    ///< of the error, for a step that cost nothing, (0, 1)
  double curvature = 0.9;   ///< of the slope that may be left at the end of an elastic step, (0, 1)
  int max_shortenings = 8;  ///< of an elastic step
  /// An attempt goes on, beyond its share of the budget too, while this many factorisations halve
  /// its smallest error.
  int patience = 40;
  double fine = 1e-8;     ///< m/s: errors below are those of rounding if they do not fall any more
  int fine_patience = 8;  ///< factorisations that must halve such an error
  /// kWhenSolved: linearise if the linear error, relative, is this times that of the step.
  double solved_well = 1e-3;
  double most_work = 2e10;       ///< operations of a step whose factorisation is expensive
  int longest_expensive = 400;   ///< factorisations that it may take always
  Index expensive_blocks = 256;  ///< row blocks below which no factorisation is expensive
  double sweeps_worth = 1.5;     ///< factorisations that the Gauss-Seidel sweeps before it may cost
  double most_sweeps = 4000.0;   ///< and their number
  double settled = 1e-9;         ///< relative change of a sweep that ends them
  double alpha_after_sweeps = 1e-3;  ///< proximal parameter after them
  double far_from_rounding = 1.0;    ///< relative error of elastic impulses
  /// Relative error of the last step's velocity and impulses below which they may solve this one.
  double calm = 1e-2;
  double hardly_moved = 1e-5;  ///< relative error below which the factor of H serves once more
  int small_systems = 10;      ///< factorisations of W that one of H may be worth
};

/// Of the realtime method (core/step/realtime_step.h).
struct RealtimePolicy {
  double goal = 1e-7;             ///< m/s: error at which no more is spent
  double hand_over_error = 1e-2;  ///< m/s: above, the accurate method takes over if that is allowed
  double recovery_speed = 0.05;   ///< m/s: at which penetration is pushed out at most
  double recovery_share = 0.5;    ///< of the friction work, which pays for it
  double alpha_start = 1e-3;      ///< proximal parameter
  double alpha_min = 1e-10;
  double alpha_max = 10.0;
  int sweeps = 10;  ///< of Gauss-Seidel at the end
  /// Of the warm start's error: contacts start without impulse if that leaves less.
  double cold_is_better = 0.5;
  /// Momentum by which the last impulses of joints turn within the step, over the step's speed: if
  /// it is more, they balance each other and no load, and are dropped. A grip keeps its contacts'.
  double turned = 10.0;
  double worth_a_round = 1e-4;  ///< m/s: error that is worth another linearisation
  double worth_joints = 0.01;   ///< the same with eliminated joints, of the step's speed
  /// The same if bodies turn far, of their turn in the step: a step of first order leaves h w / 2
  /// of a limb's speed, however well it is solved, and the worst limbs spin faster than the
  /// average.
  double worth_turn = 1.5;
  double linear_share = 0.1;  ///< of that: error of a linear problem that is good enough
  int overtime = 3;           ///< times the factorisations, for a hard step
  /// Joint rows are eliminated if a linearisation then takes no more operations than these (some
  /// milliseconds), or no more than this many times the least of a factorisation with them.
  double cheap_elimination = 3e7;
  double worth_eliminating = 4.0;
  /// And if masses differ by no more: beyond, the weight of eliminated rows times the condition
  /// that brings is no longer small (a chain of 100 links with an end mass of 1e6 of theirs).
  double widest_masses = 1e5;
  double far_contact = 2.0;   ///< m/s: contacts still this far off at the end of the step, over h
  double far_limit = 20.0;    ///< m/s or rad/s: the same of limits
  double soft = 1e-4;         ///< proximal weight of contacts if joints are eliminated
  double solved_soft = 0.1;   ///< |phi| at which that problem is solved, of the weight's own error
  double tiny = 1e-12;        ///< and absolutely
  int steps_from_zero = 3;    ///< Newton steps from zero of a linearisation
  Index few_blocks = 64;      ///< row blocks that are solved from zero
  Index shared_blocks = 256;  ///< row blocks up to which an island with joints may share a solver
  /// Error, of the step's speed, above which a small problem may take `overtime` factorisations.
  double large_error = 0.5;
  double large_motion = 0.2;  ///< the same if bodies turn far, in m/s alone
  double failed = 20.0;       ///< of the step's speed: error of a step that has failed
  int misses = 2;             ///< linearisations without gain before it ends
  double falls_fast = 0.3;    ///< of the error left: the matrices serve for another linearisation
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
