#include "bench/cli/simulation_options.h"

#include <utility>

#include <fmt/ranges.h>

#include "bench/cli/words.h"
#include "nsn/core/base/error.h"
#include "nsn/core/step/named_options.h"

namespace nsn::cli {
namespace {

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

/// "paper: friction law: paper, smoothed, ..."
std::string help_of(const NamedOption& option) {
  const bool shared = option.methods == preset_names();
  std::string text = shared ? "" : fmt::format("{}: ", fmt::join(option.methods, ", "));
  text += option.spec.help;
  if (!option.spec.choices.empty())
    text += fmt::format(": {}", fmt::join(option.spec.choices, ", "));
  return text;
}

std::string type_of(const NamedOption& option) {
  switch (option.spec.kind) {
    case OptionKind::kInteger:
      return "INT";
    case OptionKind::kReal:
      return "FLOAT";
    default:
      return "TEXT";
  }
}

}  // namespace

void add_simulation_flags(Command& command, SimulationFlags& flags) {
  const Completion truth = words({"true", "false"});
  command
      .add_option("--preset", flags.preset,
                  fmt::format("method with its defaults: {}", fmt::join(preset_names(), ", ")))
      .show_default()
      .completes(preset_words());
  command
      .add_option("--set", flags.set,
                  "parameter of the scene, key=value (nsn scenes NAME lists them)")
      .completes(parameter_words());
  command.add_option("--time-step", flags.time_step, "h, s (default 1/120)");
  for (const NamedOption& option : named_options()) {
    const std::string name = option.spec.key;
    const auto keep = [&flags, name](const std::vector<std::string>& texts) {
      for (const std::string& text : texts) flags.newton.emplace_back(name, text);
    };
    const Option flag = command.add_function("--" + name, keep, help_of(option));
    flag.type_name(type_of(option)).completes(option_words(option));
    if (name == "linear" || name == "policy") {
      flag.one_value_each_time();
    } else {
      flag.once();
    }
  }
  command
      .add_option("--r", flags.rho,
                  "paper: complementarity scaling: identity, time-step, effective-mass, "
                  "effective-mass-compliance or spectral-norm")
      .completes(words({"identity", "time-step", "effective-mass", "effective-mass-compliance",
                        "spectral-norm"}));
  command.add_option("--r-multiplier", flags.rho_multiplier, "paper: factor on it (default 1)");
  command
      .add_option("--joint-directions", flags.joint_directions,
                  "directions of joint impulses: at the end of the step (implicit) or its start")
      .completes(words({"end", "start"}));
  command
      .add_option("--mesh-features", flags.mesh_features,
                  "shapes collide as triangle meshes, every pair of features within the margin "
                  "is a contact: true or false")
      .completes(truth);
  command.add_option("--islands", flags.islands, "solve islands apart: true or false")
      .completes(truth);
}

SimulationOptions simulation_options(const SimulationFlags& flags) {
  SimulationOptions options;
  options.newton = newton_preset(flags.preset);
  set_options(options.newton, flags.newton, "--");
  assign(flags.time_step, options.h);
  if (flags.rho) {
    require_method(options.newton, {"paper"}, "--r");
    options.complementarity.scaling = complementarity_scaling_from(*flags.rho);
  }
  if (flags.rho_multiplier) {
    require_method(options.newton, {"paper"}, "--r-multiplier");
    options.complementarity.multiplier = *flags.rho_multiplier;
  }
  if (flags.joint_directions) options.joint_directions = directions_from(*flags.joint_directions);
  assign(flags.islands, options.islands);
  assign(flags.mesh_features, options.mesh_features);
  return options;
}

Options::Assignments scene_parameters(const SimulationFlags& flags) {
  Options::Assignments parameters;
  for (const std::string& text : flags.set) parameters.push_back(parse_assignment(text));
  return parameters;
}

}  // namespace nsn::cli
