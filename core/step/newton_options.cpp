#include "nsn/core/step/newton_options.h"

#include <cmath>
#include <limits>

#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"

namespace nsn {
namespace {

template <class Kind>
std::string_view name_of(Kind kind) {
  for (const auto& [value, name] : choices<Kind>()) {
    if (value == kind) return name;
  }
  return "?";
}

template <class Method, class Options>
auto& method_of(Options& options, std::string_view wanted) {
  auto* found = std::get_if<Method>(&options.method);
  NSN_THROW_UNLESS(found != nullptr, "newton: the method is {}, not {}", method_name(options),
                   wanted);
  return *found;
}

void validate_method(const AccurateOptions& options) {
  NSN_THROW_UNLESS(options.stiffness != GeometricStiffness::kDiagonal &&
                       options.stiffness != GeometricStiffness::kDiagonalAll,
                   "newton: stiffness {} is not one of accurate: none, exact, full",
                   to_string(options.stiffness));
  NSN_THROW_UNLESS(options.restart_after >= 1, "newton: restart_after {} is below 1",
                   options.restart_after);
  validate(options.policy);
}

void validate_method(const RealtimeOptions& options) {
  NSN_THROW_UNLESS(options.linear_iterations >= 0, "newton: linear_iterations {} is negative",
                   options.linear_iterations);
  validate(options.policy);
}

void validate_method(const PaperOptions& options) {
  const bool stiffness = options.formulation == Formulation::kStiffness;
  NSN_THROW_UNLESS(stiffness || options.stiffness != GeometricStiffness::kFull,
                   "newton: stiffness full needs the formulation stiffness, not compliance");
  NSN_THROW_UNLESS(options.operator_form != OperatorForm::kFactored ||
                       (!stiffness && options.friction != FrictionKind::kAlartCurnier),
                   "newton: operator_form factored is not for formulation {} with friction {}",
                   name_of(options.formulation), to_string(options.friction));
  NSN_THROW_UNLESS(options.step_length > 0.0 && options.step_length <= 1.0,
                   "newton: step_length {} is outside (0, 1]", options.step_length);
  NSN_THROW_UNLESS(options.regularization >= 0.0 && std::isfinite(options.regularization),
                   "newton: regularization {} is negative or not finite", options.regularization);
  NSN_THROW_UNLESS(options.linear_tolerance >= 0.0 && std::isfinite(options.linear_tolerance),
                   "newton: linear_tolerance {} is negative or not finite",
                   options.linear_tolerance);
  NSN_THROW_UNLESS(options.linear_iterations >= 0, "newton: linear_iterations {} is negative",
                   options.linear_iterations);
  NSN_THROW_UNLESS(options.smoothing > 0.0 && std::isfinite(options.smoothing),
                   "newton: smoothing {} is not positive", options.smoothing);
}

}  // namespace

NewtonOptions::NewtonOptions(AccurateOptions of_method)
    : tolerance(1e-9),
      max_iterations(3000),  // the few steps that need them: core/step/accurate_step.h
      linear{"contact-lu", "gmres"},
      method(of_method) {}

NewtonOptions::NewtonOptions(RealtimeOptions of_method)
    : tolerance(1e-7), max_iterations(6), linear{"contact-lu", "gmres"}, method(of_method) {}

NewtonOptions::NewtonOptions(PaperOptions of_method)
    : tolerance(0.0),  // a fixed number of iterations
      max_iterations(6),
      warm_start(false),
      linear{"pcr"},
      recovery_speed(std::numeric_limits<double>::infinity()),
      method(of_method) {}

const AccurateOptions& NewtonOptions::accurate() const {
  return method_of<AccurateOptions>(*this, "accurate");
}
const RealtimeOptions& NewtonOptions::realtime() const {
  return method_of<RealtimeOptions>(*this, "realtime");
}
const PaperOptions& NewtonOptions::paper() const {
  return method_of<PaperOptions>(*this, "paper");
}
AccurateOptions& NewtonOptions::accurate() {
  return method_of<AccurateOptions>(*this, "accurate");
}
RealtimeOptions& NewtonOptions::realtime() {
  return method_of<RealtimeOptions>(*this, "realtime");
}
PaperOptions& NewtonOptions::paper() {
  return method_of<PaperOptions>(*this, "paper");
}

bool holds(Promise promise, const NewtonOptions& options) {
  const bool safe_is_enough = std::holds_alternative<RealtimeOptions>(options.method);
  return promise <= (safe_is_enough ? Promise::kMissed : Promise::kReached);
}

const std::vector<std::string>& preset_names() {  // in the order of the variant
  static const std::vector<std::string> names{"accurate", "realtime", "paper"};
  return names;
}

NewtonOptions newton_preset(std::string_view name) {
  if (name == "accurate") return NewtonOptions(AccurateOptions{});
  if (name == "realtime") return NewtonOptions(RealtimeOptions{});
  if (name == "paper") return NewtonOptions(PaperOptions{});
  throw std::invalid_argument(
      fmt::format("unknown preset '{}'{}", name, suggestion(name, preset_names())));
}

std::string_view method_name(const NewtonOptions& options) {
  return preset_names()[options.method.index()];
}

void validate(const NewtonOptions& options) {
  NSN_THROW_UNLESS(options.max_iterations >= 1, "newton: max_iterations {} is below 1",
                   options.max_iterations);
  NSN_THROW_UNLESS(options.tolerance >= 0.0 && std::isfinite(options.tolerance),
                   "newton: tolerance {} is negative or not finite", options.tolerance);
  NSN_THROW_UNLESS(!options.linear.empty(), "newton: linear is empty, no solver is named");
  NSN_THROW_UNLESS(options.recovery_speed > 0.0, "newton: recovery_speed {} is not positive",
                   options.recovery_speed);
  NSN_THROW_UNLESS(options.time_budget >= 0.0 && std::isfinite(options.time_budget),
                   "newton: time_budget {} is negative or not finite", options.time_budget);
  NSN_THROW_UNLESS(
      options.device == kHostDevice || std::holds_alternative<PaperOptions>(options.method),
      "method {} runs on the host's threads (device {}), not on device '{}'", method_name(options),
      kHostDevice, options.device);
  std::visit([](const auto& method) { validate_method(method); }, options.method);
}

template <>
const Choices<FrictionKind>& choices() {
  static const Choices<FrictionKind> all{
      {FrictionKind::kPaper, "paper"},
      {FrictionKind::kSmoothed, "smoothed"},
      {FrictionKind::kAlartCurnier, "alart-curnier"},
      {FrictionKind::kAlartCurnierSymmetric, "alart-curnier-symmetric"}};
  return all;
}
template <>
const Choices<NcpKind>& choices() {
  static const Choices<NcpKind> all{{NcpKind::kMinimumMap, "minimum-map"},
                                    {NcpKind::kFischerBurmeister, "fischer-burmeister"}};
  return all;
}
template <>
const Choices<ncp::Origin>& choices() {
  static const Choices<ncp::Origin> all{{ncp::Origin::kInactive, "inactive"},
                                        {ncp::Origin::kActive, "active"},
                                        {ncp::Origin::kSymmetric, "symmetric"}};
  return all;
}
template <>
const Choices<NcpForm>& choices() {
  static const Choices<NcpForm> all{{NcpForm::kRowScaled, "row"}, {NcpForm::kAlphaScaled, "alpha"}};
  return all;
}
template <>
const Choices<Damping>& choices() {
  static const Choices<Damping> all{{Damping::kConstant, "constant"},
                                    {Damping::kAdaptive, "adaptive"},
                                    {Damping::kLineSearch, "line-search"},
                                    {Damping::kWatchdog, "watchdog"}};
  return all;
}
template <>
const Choices<StartingIterate>& choices() {
  static const Choices<StartingIterate> all{{StartingIterate::kZero, "zero"},
                                            {StartingIterate::kPrevious, "previous"},
                                            {StartingIterate::kPredicted, "predicted"}};
  return all;
}
template <>
const Choices<Formulation>& choices() {
  static const Choices<Formulation> all{{Formulation::kCompliance, "compliance"},
                                        {Formulation::kStiffness, "stiffness"}};
  return all;
}
template <>
const Choices<GeometricStiffness>& choices() {
  static const Choices<GeometricStiffness> all{{GeometricStiffness::kNone, "none"},
                                               {GeometricStiffness::kDiagonal, "diagonal"},
                                               {GeometricStiffness::kDiagonalAll, "diagonal-all"},
                                               {GeometricStiffness::kExact, "exact"},
                                               {GeometricStiffness::kFull, "full"}};
  return all;
}
template <>
const Choices<Elimination>& choices() {
  static const Choices<Elimination> all{{Elimination::kAuto, "auto"},
                                        {Elimination::kAlways, "always"},
                                        {Elimination::kNever, "never"}};
  return all;
}
template <>
const Choices<OperatorForm>& choices() {
  static const Choices<OperatorForm> all{{OperatorForm::kAuto, "auto"},
                                         {OperatorForm::kAssembled, "assembled"},
                                         {OperatorForm::kFactored, "factored"}};
  return all;
}

template <>
const Choices<Precision>& choices() {
  static const Choices<Precision> all{{Precision::kDouble, "double"},
                                      {Precision::kSingle, "single"}};
  return all;
}

std::string_view to_string(FrictionKind kind) {
  return name_of(kind);
}
std::string_view to_string(NcpKind kind) {
  return name_of(kind);
}
std::string_view to_string(Damping damping) {
  return name_of(damping);
}
std::string_view to_string(GeometricStiffness stiffness) {
  return name_of(stiffness);
}

}  // namespace nsn
