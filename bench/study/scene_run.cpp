#include "bench/study/scene_run.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/support/stopwatch.h"
#include "nsn/backends/standard_backends.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/models/rows/joint_rows.h"

namespace nsn::study {

Simulation simulate(World world, const std::string& preset) {
  SimulationOptions options;
  options.newton = newton_preset(preset);
  return {std::move(world), options, standard_backends()};
}

bench::RunMeasures run_for(Simulation& simulation, int steps, double seconds) {
  bench::RunMeasures run(simulation);
  const bench::Stopwatch watch;
  for (int k = 0; k < steps && (k == 0 || watch.seconds() < seconds); ++k) {
    simulation.step();
    run.add(simulation);
  }
  return run;
}

void take_state(const World& from, World& into) {
  into.bodies() = from.bodies();
  into.particles() = from.particles();
  into.time = from.time;
  for (int j = 0; j < from.joints().num_joints(); ++j) {
    into.joint(j) = from.joint(j);
    for (int axis = 0; axis < static_cast<int>(from.joint(j).axes.size()); ++axis) {
      into.joints().set_turn(j, axis, from.joints().position(j, axis, from.bodies()));
    }
  }
}

int num_tets(const World& world) {
  int count = 0;
  for (const Deformable& body : world.deformables()) count += body.mesh.num_tets();
  return count;
}

std::string cannot_be_made(const SceneInfo& scene) {
  const bool needs_file = std::any_of(scene.options.begin(), scene.options.end(),
                                      [](const OptionSpec& spec) { return spec.key == "file"; });
  if (!needs_file) return {};
  try {
    make_scene(scene.name);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace nsn::study
