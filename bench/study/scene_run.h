/// Scenes in closed loop, for studies that go through many of them.
#pragma once

#include <string>

#include "bench/support/run_measures.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"

namespace nsn::study {

/// A simulation with a preset's choices.
Simulation simulate(World world, const std::string& preset);

/// Takes `steps` steps, fewer where they last longer than `seconds`, at least one.
bench::RunMeasures run_for(Simulation& simulation, int steps, double seconds);

/// Puts the bodies, particles, joints and the time of one world into another of the same scene.
void take_state(const World& from, World& into);

int num_tets(const World& world);

/// Why a scene that needs a robot's file cannot be made here; empty where it can.
std::string cannot_be_made(const SceneInfo& scene);

}  // namespace nsn::study
