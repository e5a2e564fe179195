#include "nsn/models/step/presets.h"

#include "nsn/core/base/error.h"
#include "nsn/core/base/options.h"

namespace nsn {
namespace {

NewtonOptions accurate_preset() {
  NewtonOptions options;
  options.linear = {"contact-lu", "gmres"};
  options.stiffness = GeometricStiffness::kFull;
  options.max_iterations = 3000;  // the few steps that need them: core/step/accurate_step.h
  return options;
}

NewtonOptions paper_preset() {
  NewtonOptions options;
  options.friction = FrictionKind::kPaper;
  options.ncp = NcpKind::kFischerBurmeister;
  options.origin = ncp::Origin::kInactive;
  options.form = NcpForm::kAlphaScaled;
  options.stiffness = GeometricStiffness::kDiagonal;  // of particles
  options.max_iterations = 6;
  options.start = StartingIterate::kZero;
  options.warm_start = false;
  options.step_length = 0.75;
  options.best_iterate = false;
  options.regularization = 1e-6;
  options.relative_regularization = false;
  options.linear = {"pcr"};
  options.linear_iterations = 20;
  options.tolerance = 0.0;  // a fixed number of iterations
  return options;
}

NewtonOptions realtime_preset() {
  NewtonOptions options;
  options.linear = {"contact-lu", "gmres"};
  options.friction = FrictionKind::kSafeguarded;
  options.linear_iterations = 40;
  options.max_iterations = 6;
  options.tolerance = 1e-7;
  options.stiffness = GeometricStiffness::kNone;
  return options;
}

}  // namespace

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names{"accurate", "realtime", "paper"};
  return names;
}

NewtonOptions newton_preset(std::string_view name) {
  if (name == "accurate") return accurate_preset();
  if (name == "realtime") return realtime_preset();
  if (name == "paper") return paper_preset();
  throw std::invalid_argument(
      fmt::format("unknown preset '{}'{}", name, suggestion(name, preset_names())));
}

}  // namespace nsn
