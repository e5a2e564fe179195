#include "nsn/core/step/policy.h"

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

constexpr double kMost = 1e300;    // no upper bound
constexpr double kLeast = 1e-300;  // any positive number
constexpr double kMany = 1e6;      // of something that is counted

template <class Policy>
PolicyField<Policy> real(const char* name, double Policy::*member, const char* unit, double min,
                         double max, const char* reason) {
  return {OptionSpec::real(name, Policy{}.*member, min, max, reason), unit, member};
}

template <class Policy>
PolicyField<Policy> count(const char* name, int Policy::*member, double min, const char* reason,
                          double max = kMany) {
  return {OptionSpec::integer(name, Policy{}.*member, min, max, reason), "1", member};
}

template <class Policy>
void set_fields(Policy& policy, const Options::Assignments& values, std::string_view owner) {
  std::vector<OptionSpec> specs;
  for (const auto& field : policy_fields<Policy>()) specs.push_back(field.spec);
  const Options checked(specs, values, owner);
  for (const auto& field : policy_fields<Policy>()) {
    for (const auto& [name, text] : values) {
      if (name != field.spec.key) continue;
      std::visit(
          [&](auto member) {
            using Value = std::remove_reference_t<decltype(policy.*member)>;
            policy.*member = static_cast<Value>(checked.real(field.spec.key));
          },
          field.member);
    }
  }
}

template <class Policy>
void check_fields(const Policy& policy, std::string_view owner) {
  for (const auto& field : policy_fields<Policy>()) {
    std::visit(
        [&](auto member) {
          const double value = policy.*member;
          NSN_THROW_UNLESS(value >= field.spec.min && value <= field.spec.max,
                           "{}: {} {} is outside [{}, {}]", owner, field.spec.key, value,
                           field.spec.min, field.spec.max);
        },
        field.member);
  }
}

constexpr const char* kAccurate = "the policy of accurate";
constexpr const char* kRealtime = "the policy of realtime";

static_assert(sizeof(AccuratePolicy) == 144, "a field was added: name it below");
const std::vector<PolicyField<AccuratePolicy>> kAccurateFields{
    real("restart_band", &AccuratePolicy::restart_band, "1", 1.0, kMost,
         "after a restart, linearise only at errors below this times the smallest"),
    count("longest_history", &AccuratePolicy::longest_history, 1, "iterations that are recorded"),
    count("max_idle_steps", &AccuratePolicy::max_idle_steps, 0,
          "steps in a row that cost and gain nothing before the method stalls"),
    real("least_gain", &AccuratePolicy::least_gain, "1", 0.0, 1.0,
         "of the error, which a step that costs nothing must leave less than"),
    real("curvature", &AccuratePolicy::curvature, "1", 0.0, 1.0,
         "of the slope that may be left at the end of an elastic step"),
    count("max_shortenings", &AccuratePolicy::max_shortenings, 0, "of an elastic step"),
    count("patience", &AccuratePolicy::patience, 1,
          "factorisations that must halve the smallest error for an attempt to go on"),
    real("fine", &AccuratePolicy::fine, "m/s", 0.0, kMost,
         "errors below are those of rounding if they do not fall any more"),
    count("fine_patience", &AccuratePolicy::fine_patience, 0,
          "factorisations that must halve such an error"),
    real("solved_well", &AccuratePolicy::solved_well, "1", 0.0, kMost,
         "linear error over the step's at which the last attempt linearises again"),
    real("most_work", &AccuratePolicy::most_work, "operations", 0.0, kMost,
         "of a step whose factorisation is expensive"),
    count("longest_expensive", &AccuratePolicy::longest_expensive, 1,
          "factorisations that such a step may take always"),
    count("expensive_blocks", &AccuratePolicy::expensive_blocks, 0,
          "row blocks below which no factorisation is expensive"),
    real("sweeps_worth", &AccuratePolicy::sweeps_worth, "factorisations", 0.0, kMost,
         "that the Gauss-Seidel sweeps before an expensive one may cost"),
    real("most_sweeps", &AccuratePolicy::most_sweeps, "1", 0.0, kMany, "Gauss-Seidel sweeps"),
    real("settled", &AccuratePolicy::settled, "1", 0.0, kMost,
         "relative change of a sweep that ends them"),
    real("alpha_after_sweeps", &AccuratePolicy::alpha_after_sweeps, "1", kLeast, kMost,
         "proximal parameter after the sweeps"),
    real("far_from_rounding", &AccuratePolicy::far_from_rounding, "1", 0.0, kMost,
         "relative error above which elastic impulses are not those of the linear step"),
    real("calm", &AccuratePolicy::calm, "1", 0.0, kMost,
         "relative error below which the last velocity and impulses may solve the step"),
    real("hardly_moved", &AccuratePolicy::hardly_moved, "1", 0.0, kMost,
         "relative error below which the factor of H serves once more"),
    count("small_systems", &AccuratePolicy::small_systems, 1,
          "factorisations of W that one of H may be worth", 100),
};

static_assert(sizeof(RealtimePolicy) == 240, "a field was added: name it below");
const std::vector<PolicyField<RealtimePolicy>> kRealtimeFields{
    real("goal", &RealtimePolicy::goal, "m/s", 0.0, kMost, "error at which no more is spent"),
    real("hand_over_error", &RealtimePolicy::hand_over_error, "m/s", 0.0, kMost,
         "above, the accurate method takes over if that is allowed"),
    real("recovery_speed", &RealtimePolicy::recovery_speed, "m/s", 0.0, kMost,
         "at which penetration is pushed out at most"),
    real("recovery_share", &RealtimePolicy::recovery_share, "1", 0.0, 1.0,
         "of the friction work, which pays for it"),
    real("alpha_start", &RealtimePolicy::alpha_start, "1", kLeast, kMost,
         "first proximal parameter"),
    real("alpha_min", &RealtimePolicy::alpha_min, "1", kLeast, kMost,
         "smallest proximal parameter"),
    real("alpha_max", &RealtimePolicy::alpha_max, "1", kLeast, kMost, "largest proximal parameter"),
    count("sweeps", &RealtimePolicy::sweeps, 0, "of Gauss-Seidel at the end"),
    real("cold_is_better", &RealtimePolicy::cold_is_better, "1", 0.0, kMost,
         "of the warm start's error: contacts start without impulse if that leaves less"),
    real("turned", &RealtimePolicy::turned, "1", 0.0, kMost,
         "joint impulses that turn by more momentum, over the step's speed, are dropped"),
    real("worth_a_round", &RealtimePolicy::worth_a_round, "m/s", 0.0, kMost,
         "error that is worth another linearisation"),
    real("worth_joints", &RealtimePolicy::worth_joints, "1", 0.0, kMost,
         "the same with eliminated joints, of the step's speed"),
    real("worth_turn", &RealtimePolicy::worth_turn, "1", 0.0, kMost,
         "the same if bodies turn far, of their turn in the step"),
    real("linear_share", &RealtimePolicy::linear_share, "1", 0.0, kMost,
         "of that: error of a linear problem that is good enough"),
    count("overtime", &RealtimePolicy::overtime, 1, "times the factorisations, for a hard step",
          100),
    real("cheap_elimination", &RealtimePolicy::cheap_elimination, "operations", 0.0, kMost,
         "of a linearisation, up to which joint rows are eliminated"),
    real("worth_eliminating", &RealtimePolicy::worth_eliminating, "1", 0.0, kMost,
         "or up to this many times the least of a factorisation with them"),
    real("widest_masses", &RealtimePolicy::widest_masses, "1", 1.0, kMost,
         "ratio of masses up to which joint rows are eliminated"),
    real("far_contact", &RealtimePolicy::far_contact, "m/s", 0.0, kMost,
         "contacts still this far off at the end of the step, over h, are left out"),
    real("far_limit", &RealtimePolicy::far_limit, "m/s or rad/s", 0.0, kMost, "the same of limits"),
    real("soft", &RealtimePolicy::soft, "1", kLeast, kMost,
         "proximal weight of contacts if joints are eliminated"),
    real("solved_soft", &RealtimePolicy::solved_soft, "1", 0.0, kMost,
         "|phi| at which that problem is solved, of the weight's own error"),
    real("tiny", &RealtimePolicy::tiny, "1", 0.0, kMost, "and absolutely"),
    count("steps_from_zero", &RealtimePolicy::steps_from_zero, 0,
          "Newton steps from zero of a linearisation"),
    count("few_blocks", &RealtimePolicy::few_blocks, 0, "row blocks that are solved from zero"),
    count("shared_blocks", &RealtimePolicy::shared_blocks, 0,
          "row blocks up to which an island with joints may share a solver"),
    real("large_error", &RealtimePolicy::large_error, "1", 0.0, kMost,
         "of the step's speed, above which a small problem may take overtime"),
    real("large_motion", &RealtimePolicy::large_motion, "1", 0.0, kMost,
         "the same if bodies turn far"),
    real("failed", &RealtimePolicy::failed, "1", 0.0, kMost,
         "of the step's speed: error of a step that has failed"),
    count("misses", &RealtimePolicy::misses, 0, "linearisations without gain before a step ends"),
    real("falls_fast", &RealtimePolicy::falls_fast, "1", 0.0, 1.0,
         "of the error left: the matrices serve for another linearisation"),
};

}  // namespace

template <>
const std::vector<PolicyField<AccuratePolicy>>& policy_fields() {
  return kAccurateFields;
}
template <>
const std::vector<PolicyField<RealtimePolicy>>& policy_fields() {
  return kRealtimeFields;
}

void set_policy(AccuratePolicy& policy, const Options::Assignments& values) {
  set_fields(policy, values, kAccurate);
}
void set_policy(RealtimePolicy& policy, const Options::Assignments& values) {
  set_fields(policy, values, kRealtime);
}
void validate(const AccuratePolicy& policy) {
  check_fields(policy, kAccurate);
}
void validate(const RealtimePolicy& policy) {
  check_fields(policy, kRealtime);
}

}  // namespace nsn
