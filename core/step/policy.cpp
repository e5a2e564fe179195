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

static_assert(sizeof(AccuratePolicy) == 32, "a field was added: name it below");
const std::vector<PolicyField<AccuratePolicy>> kAccurateFields{
    real("fine", &AccuratePolicy::fine, "m/s", 0.0, kMost,
         "errors below are those of rounding if they do not fall any more"),
    count("patience", &AccuratePolicy::patience, 0,
          "factorisations that must halve such an error; idle steps before a stall"),
    real("sweeps_worth", &AccuratePolicy::sweeps_worth, "factorisations", 0.0, kMany,
         "that the Gauss-Seidel sweeps before an expensive one may cost"),
    real("hardly_moved", &AccuratePolicy::hardly_moved, "1", 0.0, kMost,
         "relative error below which the factor of H serves once more"),
};

static_assert(sizeof(RealtimePolicy) == 72, "a field was added: name it below");
const std::vector<PolicyField<RealtimePolicy>> kRealtimeFields{
    real("goal", &RealtimePolicy::goal, "m/s", 0.0, kMost, "error at which no more is spent"),
    real("hand_over_error", &RealtimePolicy::hand_over_error, "m/s", 0.0, kMost,
         "above, the accurate method takes over if that is allowed"),
    count("sweeps", &RealtimePolicy::sweeps, 0, "of Gauss-Seidel at the end"),
    real("worth_joints", &RealtimePolicy::worth_joints, "1", 0.0, kMost,
         "error that is worth another linearisation if joints are eliminated, of the step's speed"),
    real("worth_turn", &RealtimePolicy::worth_turn, "1", 0.0, kMost,
         "the same if bodies turn far, of their turn in the step"),
    real("linear_share", &RealtimePolicy::linear_share, "1", 0.0, kMost,
         "of that: error of a linear problem that is good enough"),
    count("overtime", &RealtimePolicy::overtime, 1,
          "times the factorisations, for few rows or elastic elements", 100),
    real("cheap_elimination", &RealtimePolicy::cheap_elimination, "operations", 0.0, kMost,
         "of a linearisation, up to which joint rows are eliminated"),
    real("far_speed", &RealtimePolicy::far_speed, "m/s or rad/s", 0.0, kMost,
         "rows still this far off at the end of the step, over h, are left out"),
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
