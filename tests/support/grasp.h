/// Questions about scenes in which something holds a ball.
#pragma once

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "nsn/backends/standard_backends.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::test {

inline Simulation simulate(const std::string& scene, const Options::Assignments& parameters = {}) {
  return Simulation(make_scene(scene, parameters), SimulationOptions{}, standard_backends());
}

/// Steps until the world's time is `end`, s. Returns the largest error of a step, m/s.
inline double run(Simulation& simulation, double end) {
  double worst = 0.0;
  while (simulation.world().time < end - 0.5 * simulation.options().h) {
    worst = std::max(worst, simulation.step().error.total);
  }
  return worst;
}

inline ConstBodyRef body_named(const World& world, const std::string& name) {
  for (const ConstBodyRef body : world.bodies()) {
    if (body.name == name) return body;
  }
  throw std::invalid_argument("no body is named " + name);
}

/// Of the soft ball's centre of mass over the first body of that name, m.
inline double height_over(const Simulation& simulation, const std::string& name) {
  const World& world = simulation.world();
  return centre_of_mass(world, world.deformable(0))[2] - body_named(world, name).position[2];
}

/// The same in the body's axes.
inline Vec3 ball_in(const Simulation& simulation, const std::string& name) {
  const World& world = simulation.world();
  const ConstBodyRef body = body_named(world, name);
  return transpose(rotation_matrix(body.orientation)) *
         (centre_of_mass(world, world.deformable(0)) - body.position);
}

inline double weight(const Simulation& simulation) {
  return 9.81 * mass(simulation.world(), simulation.world().deformable(0));
}

/// What the needle of soft-grasp shows, N: crank sin(angle) times the spring.
inline double scale_reading(const Simulation& simulation) {
  const Mat3 R = rotation_matrix(body_named(simulation.world(), "needle").orientation);
  return 400.0 * 0.03 * R(0, 2);
}

}  // namespace nsn::test
