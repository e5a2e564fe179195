// Names of methods, forms and statuses.
#include <algorithm>

#include "nsn/core/base/error.h"
#include "nsn/core/problems/friction_solver.h"

namespace nsn {
namespace {

const std::vector<std::string> kMethodNames = {"auto",
                                               "proximal-newton",
                                               "proximal-newton-fb",
                                               "admm",
                                               "nsgs",
                                               "paper-min",
                                               "paper-fb",
                                               "alart-curnier",
                                               "alart-curnier-symmetric",
                                               "associated",
                                               "shift-map",
                                               "certificate"};

const std::vector<std::string> kFormNames = {"auto", "dual", "primal"};

}  // namespace

std::string_view to_string(FrictionMethod method) {
  return kMethodNames[static_cast<std::size_t>(method)];
}

const std::vector<std::string>& friction_method_names() {
  return kMethodNames;
}

FrictionMethod friction_method_from_name(std::string_view name) {
  NSN_THROW_UNLESS(name != "pfn" && name != "pfn-fb", "method '{}' is now 'proximal-newton{}'",
                   name, name.substr(3));
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  NSN_THROW_UNLESS(found != kMethodNames.end(), "unknown method '{}'{}", name,
                   suggestion(name, kMethodNames));
  return static_cast<FrictionMethod>(found - kMethodNames.begin());
}

FrictionForm friction_form_from_name(std::string_view name) {
  const auto found = std::find(kFormNames.begin(), kFormNames.end(), name);
  NSN_THROW_UNLESS(found != kFormNames.end(), "unknown form '{}'{}", name,
                   suggestion(name, kFormNames));
  return static_cast<FrictionForm>(found - kFormNames.begin());
}

std::string_view to_string(FrictionStatus status) {
  switch (status) {
    case FrictionStatus::kSolved:
      return "solved";
    case FrictionStatus::kBudgetReached:
      return "budget-reached";
    case FrictionStatus::kCancelled:
      return "cancelled";
    case FrictionStatus::kTimeLimit:
      return "time-limit";
    case FrictionStatus::kNoSolution:
      return "no-solution";
    case FrictionStatus::kIndefinite:
      return "indefinite";
    case FrictionStatus::kSuspectedUnsolvable:
      return "suspected-unsolvable";
    case FrictionStatus::kLinearFailure:
      return "linear-failure";
  }
  return "?";
}

}  // namespace nsn
