/// The options of every command that steps a scene: which method, which solver, which parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "nsn/models/step/simulation.h"

namespace nsn::cli {

struct SimulationFlags {
  std::string preset = "accurate";
  std::vector<std::string> set;     ///< "key=value" of the scene
  std::optional<double> time_step;  ///< s
  std::optional<std::string> ncp, friction, rho, damping, stiffness, joint_directions, start, form,
      formulation, elimination, operator_form;
  std::vector<std::string> linear;  ///< a solver, then what to fall back to
  std::optional<int> newton_iterations, linear_iterations;
  std::optional<double> tolerance, step_length, regularization, rho_multiplier;
  std::optional<bool> warm_start, islands, projection, hand_over, relative_regularization,
      eisenstat_walker;
};

/// Adds --preset, --set, --h, --ncp, --friction, --r, --linear, ... to the command.
void add_simulation_flags(CLI::App& command, SimulationFlags& flags);

/// The preset, then what the flags change. Throws std::invalid_argument for unknown names and
/// values out of range.
SimulationOptions simulation_options(const SimulationFlags& flags);

/// The parameters of --set, taken apart.
Options::Assignments scene_parameters(const SimulationFlags& flags);

}  // namespace nsn::cli
