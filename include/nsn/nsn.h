/// Everything a program needs that builds worlds and steps them, or has friction problems of its own:
///
///   #include <nsn/nsn.h>
///
/// No header of Kokkos is among them. Who writes a linear solver, a kind of row or a kernel includes
/// <nsn/backend.h>.
#pragma once

#include "nsn/deformables.h"
#include "nsn/joints.h"
#include "nsn/record.h"
#include "nsn/robots.h"
#include "nsn/runtime.h"
#include "nsn/scenes.h"
#include "nsn/shapes.h"
#include "nsn/simulation.h"
#include "nsn/solve_friction.h"
#include "nsn/step_options.h"
