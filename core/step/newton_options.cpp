#include "nsn/core/step/newton_options.h"

#include <array>
#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"

namespace nsn {
namespace {

template <class Kind>
using Names = std::vector<std::pair<Kind, std::string_view>>;

template <class Kind>
std::string_view name_of(const Names<Kind>& names, Kind kind) {
  for (const auto& [value, name] : names) {
    if (value == kind) return name;
  }
  return "?";
}

template <class Kind>
Kind kind_of(const Names<Kind>& names, std::string_view text, std::string_view what) {
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known.emplace_back(name);
  }
  throw std::invalid_argument(
      fmt::format("unknown {} '{}'{}", what, text, suggestion(text, known)));
}

const Names<FrictionKind>& friction_names() {
  static const Names<FrictionKind> names{{FrictionKind::kProximal, "proximal"},
                                         {FrictionKind::kSafeguarded, "safeguarded"},
                                         {FrictionKind::kPaper, "paper"},
                                         {FrictionKind::kSmoothed, "smoothed"},
                                         {FrictionKind::kAlartCurnier, "alart-curnier"},
                                         {FrictionKind::kFullAlartCurnier, "alart-curnier-full"}};
  return names;
}
const Names<NcpKind>& ncp_names() {
  static const Names<NcpKind> names{{NcpKind::kMinimumMap, "minimum-map"},
                                    {NcpKind::kFischerBurmeister, "fischer-burmeister"}};
  return names;
}
const Names<Damping>& damping_names() {
  static const Names<Damping> names{{Damping::kConstant, "constant"},
                                    {Damping::kAdaptive, "adaptive"},
                                    {Damping::kLineSearch, "line-search"},
                                    {Damping::kWatchdog, "watchdog"}};
  return names;
}
const Names<GeometricStiffness>& stiffness_names() {
  static const Names<GeometricStiffness> names{{GeometricStiffness::kNone, "none"},
                                               {GeometricStiffness::kDiagonal, "diagonal"},
                                               {GeometricStiffness::kDiagonalAll, "diagonal-all"},
                                               {GeometricStiffness::kExact, "exact"},
                                               {GeometricStiffness::kFull, "full"}};
  return names;
}
const Names<Elimination>& elimination_names() {
  static const Names<Elimination> names{{Elimination::kAuto, "auto"},
                                        {Elimination::kAlways, "always"},
                                        {Elimination::kNever, "never"}};
  return names;
}
const Names<OperatorForm>& operator_names() {
  static const Names<OperatorForm> names{{OperatorForm::kAuto, "auto"},
                                         {OperatorForm::kAssembled, "assembled"},
                                         {OperatorForm::kFactored, "factored"}};
  return names;
}

}  // namespace

std::string_view to_string(FrictionKind kind) {
  return name_of(friction_names(), kind);
}
FrictionKind friction_kind_from(std::string_view name) {
  return kind_of(friction_names(), name, "friction");
}
std::string_view to_string(NcpKind kind) {
  return name_of(ncp_names(), kind);
}
NcpKind ncp_kind_from(std::string_view name) {
  return kind_of(ncp_names(), name, "NCP function");
}
std::string_view to_string(Damping damping) {
  return name_of(damping_names(), damping);
}
Damping damping_from(std::string_view name) {
  return kind_of(damping_names(), name, "damping");
}
std::string_view to_string(GeometricStiffness stiffness) {
  return name_of(stiffness_names(), stiffness);
}
GeometricStiffness geometric_stiffness_from(std::string_view name) {
  return kind_of(stiffness_names(), name, "geometric stiffness");
}
Elimination elimination_from(std::string_view name) {
  return kind_of(elimination_names(), name, "elimination");
}
OperatorForm operator_form_from(std::string_view name) {
  return kind_of(operator_names(), name, "operator form");
}

void validate(const NewtonOptions& options) {
  NSN_THROW_UNLESS(options.max_iterations >= 1, "newton: max_iterations {} < 1",
                   options.max_iterations);
  NSN_THROW_UNLESS(options.tolerance >= 0.0 && std::isfinite(options.tolerance),
                   "newton: tolerance {} is negative or not finite", options.tolerance);
  NSN_THROW_UNLESS(options.step_length > 0.0 && options.step_length <= 1.0,
                   "newton: step_length {} is outside (0, 1]", options.step_length);
  NSN_THROW_UNLESS(options.regularization >= 0.0 && std::isfinite(options.regularization),
                   "newton: regularization {} is negative or not finite", options.regularization);
  NSN_THROW_UNLESS(options.linear_tolerance >= 0.0, "newton: linear_tolerance {} is negative",
                   options.linear_tolerance);
  NSN_THROW_UNLESS(options.linear_iterations >= 0, "newton: linear_iterations {} is negative",
                   options.linear_iterations);
  NSN_THROW_UNLESS(options.smoothing > 0.0 && std::isfinite(options.smoothing),
                   "newton: smoothing {} is not positive", options.smoothing);
  NSN_THROW_UNLESS(!options.linear.empty(), "newton: no linear solver is named");
  NSN_THROW_UNLESS(options.time_budget >= 0.0, "newton: time_budget {} is negative",
                   options.time_budget);
}

}  // namespace nsn
