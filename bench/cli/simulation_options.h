/// The options of every command that steps a scene: which method, which solver, which parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cli/command.h"
#include "nsn/models/step/simulation.h"

namespace nsn::cli {

struct SimulationFlags {
  std::string preset = "accurate";
  std::vector<std::string> set;     ///< "key=value" of the scene
  Options::Assignments newton;      ///< of core/step/named_options.h, in the order given
  std::optional<double> time_step;  ///< s
  std::optional<double> rho_multiplier;
  std::optional<std::string> rho, joint_directions;
  std::optional<bool> islands, mesh_features;
};

/// Adds --preset, --set, --time-step, --r, ... and every option of core/step/named_options.h.
void add_simulation_flags(Command& command, SimulationFlags& flags);

/// The preset, then what the flags change. Throws std::invalid_argument for unknown names, for
/// options that the method does not have, and for values out of range.
SimulationOptions simulation_options(const SimulationFlags& flags);

/// The parameters of --set, taken apart.
Options::Assignments scene_parameters(const SimulationFlags& flags);

}  // namespace nsn::cli
