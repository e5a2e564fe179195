/// Runs a scene by name for tests.
#pragma once

#include <string>
#include <utility>

#include "nsn/backends/standard_backends.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::test {

inline Simulation simulate(const std::string& scene, const Options::Assignments& parameters = {},
                           SimulationOptions options = {}) {
  return Simulation(make_scene(scene, parameters), std::move(options), standard_backends());
}

inline SimulationOptions with_preset(const std::string& name) {
  SimulationOptions options;
  options.newton = newton_preset(name);
  return options;
}

/// True where this build has the linear solver.
inline bool available(const std::string& solver) {
  return standard_backends().info(solver).available();
}

/// A direct solver for symmetric matrices: CHOLMOD where this build has it.
inline std::string direct_solver() {
  return available("cholmod") ? "cholmod" : "contact-lu";
}

/// Advances; returns how many steps did not converge.
inline int advance(Simulation& simulation, int steps) {
  int failed = 0;
  for (int k = 0; k < steps; ++k) failed += simulation.step().converged() ? 0 : 1;
  return failed;
}

}  // namespace nsn::test
