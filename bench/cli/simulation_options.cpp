#include "bench/cli/simulation_options.h"

#include <utility>

#include "nsn/core/base/error.h"

namespace nsn::cli {
namespace {

StartingIterate start_from(const std::string& name) {
  if (name == "zero") return StartingIterate::kZero;
  if (name == "previous") return StartingIterate::kPrevious;
  if (name == "predicted") return StartingIterate::kPredicted;
  const std::vector<std::string> names{"zero", "previous", "predicted"};
  throw std::invalid_argument(
      fmt::format("unknown starting iterate '{}'{}", name, suggestion(name, names)));
}

NcpForm form_from(const std::string& name) {
  if (name == "row") return NcpForm::kRowScaled;
  if (name == "alpha") return NcpForm::kAlphaScaled;
  const std::vector<std::string> names{"row", "alpha"};
  throw std::invalid_argument(fmt::format("unknown form '{}'{}", name, suggestion(name, names)));
}

Formulation formulation_from(const std::string& name) {
  if (name == "compliance") return Formulation::kCompliance;
  if (name == "stiffness") return Formulation::kStiffness;
  const std::vector<std::string> names{"compliance", "stiffness"};
  throw std::invalid_argument(
      fmt::format("unknown formulation '{}'{}", name, suggestion(name, names)));
}

ForceDirections directions_from(const std::string& name) {
  if (name == "end") return ForceDirections::kEndOfStep;
  if (name == "start") return ForceDirections::kStartOfStep;
  const std::vector<std::string> names{"end", "start"};
  throw std::invalid_argument(
      fmt::format("unknown force directions '{}'{}", name, suggestion(name, names)));
}

template <class Value>
void assign(const std::optional<Value>& given, Value& target) {
  if (given) target = *given;
}

}  // namespace

void add_simulation_flags(CLI::App& command, SimulationFlags& flags) {
  command.add_option("--preset", flags.preset, "accurate, realtime or paper")
      ->capture_default_str();
  command.add_option("--set", flags.set,
                     "parameter of the scene, key=value (nsn scenes NAME lists them)");
  command.add_option("--time-step", flags.time_step, "h, s (default 1/120)");
  command.add_option("--ncp", flags.ncp, "NCP function: minimum-map or fischer-burmeister");
  command.add_option("--friction", flags.friction,
                     "proximal, safeguarded, paper, smoothed, alart-curnier or alart-curnier-full");
  command.add_option("--r", flags.rho,
                     "complementarity scaling: identity, time-step, effective-mass, "
                     "effective-mass-compliance or spectral-norm");
  command.add_option("--r-multiplier", flags.rho_multiplier, "factor on it (default 1)");
  command.add_option("--linear", flags.linear,
                     "linear solver, name:key=value,...; given again: what to fall back to");
  command.add_option("--newton-iterations", flags.newton_iterations, "most per step");
  command.add_option("--linear-iterations", flags.linear_iterations,
                     "budget of an iterative solver per Newton iteration (0: none)");
  command.add_option("--tolerance", flags.tolerance, "relative error at which a step is solved");
  command.add_option("--damping", flags.damping, "constant, adaptive, line-search or watchdog");
  command.add_option("--step-length", flags.step_length, "t of constant damping, in (0, 1]");
  command.add_option("--warm-start", flags.warm_start, "impulses of the last step: true or false");
  command.add_option("--start", flags.start, "velocity to start from: zero, previous or predicted");
  command.add_option("--form", flags.form, "normal rows: row or alpha");
  command.add_option("--formulation", flags.formulation, "compliance or stiffness");
  command.add_option("--geometric-stiffness", flags.stiffness,
                     "none, diagonal (particles), diagonal-all, exact (blocks) or full (sparse H)");
  command.add_option(
      "--eliminate", flags.elimination,
      "elastic rows, and in realtime those of joints, in a sparse H: auto, always or never");
  command.add_option("--operator", flags.operator_form,
                     "what a matrix-free solver gets: auto, assembled or factored");
  command.add_option("--joint-directions", flags.joint_directions,
                     "of joint impulses: at the end of the step (implicit) or its start");
  command.add_option("--regularization", flags.regularization, "added to the diagonal of S");
  command.add_option("--relative-regularization", flags.relative_regularization,
                     "times that diagonal: true or false");
  command.add_option("--eisenstat-walker", flags.eisenstat_walker,
                     "forcing term of inexact solves: true or false");
  command.add_option("--projection", flags.projection, "final momentum projection: true or false");
  command.add_option("--hand-over", flags.hand_over,
                     "realtime: finish hard steps with the accurate method: true or false");
  command.add_option("--islands", flags.islands, "solve islands apart: true or false");
}

SimulationOptions simulation_options(const SimulationFlags& flags) {
  SimulationOptions options;
  NewtonOptions& newton = options.newton;
  newton = newton_preset(flags.preset);
  assign(flags.time_step, options.h);
  if (flags.ncp) newton.ncp = ncp_kind_from(*flags.ncp);
  if (flags.friction) newton.friction = friction_kind_from(*flags.friction);
  if (flags.rho) options.complementarity.scaling = complementarity_scaling_from(*flags.rho);
  assign(flags.rho_multiplier, options.complementarity.multiplier);
  if (flags.joint_directions) options.joint_directions = directions_from(*flags.joint_directions);
  if (!flags.linear.empty()) newton.linear = flags.linear;
  assign(flags.newton_iterations, newton.max_iterations);
  assign(flags.linear_iterations, newton.linear_iterations);
  assign(flags.tolerance, newton.tolerance);
  if (flags.damping) newton.damping = damping_from(*flags.damping);
  assign(flags.step_length, newton.step_length);
  assign(flags.warm_start, newton.warm_start);
  if (flags.start) newton.start = start_from(*flags.start);
  if (flags.form) newton.form = form_from(*flags.form);
  if (flags.formulation) newton.formulation = formulation_from(*flags.formulation);
  if (flags.stiffness) newton.stiffness = geometric_stiffness_from(*flags.stiffness);
  if (flags.elimination) newton.elimination = elimination_from(*flags.elimination);
  if (flags.operator_form) newton.operator_form = operator_form_from(*flags.operator_form);
  assign(flags.regularization, newton.regularization);
  assign(flags.relative_regularization, newton.relative_regularization);
  assign(flags.eisenstat_walker, newton.eisenstat_walker);
  assign(flags.projection, newton.final_projection);
  assign(flags.hand_over, newton.hand_over);
  assign(flags.islands, options.islands);
  validate(newton);
  return options;
}

Options::Assignments scene_parameters(const SimulationFlags& flags) {
  Options::Assignments parameters;
  for (const std::string& text : flags.set) parameters.push_back(parse_assignment(text));
  return parameters;
}

}  // namespace nsn::cli
