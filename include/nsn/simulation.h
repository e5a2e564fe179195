/// Simulation: a world that moves, its reports, contacts, forces and saved states.
#pragma once

#include "nsn/joints.h"
#include "nsn/models/step/simulation.h"
#include "nsn/step_options.h"
#include "nsn/world.h"
