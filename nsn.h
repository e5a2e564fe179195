/// Everything a program needs that builds worlds and steps them, or has friction problems of its own:
///
///   #include <nsn/nsn.h>
///
/// No header of Kokkos is among them. Who writes a linear solver, a kind of row or a kernel includes
/// <nsn/backend.h>.
#pragma once

#include "nsn/core/base/runtime.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
#include "nsn/models/deformable/mesh_generators.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/problems/solve_friction.h"
#include "nsn/models/record/glb.h"
#include "nsn/models/record/run_file.h"
#include "nsn/models/record/run_page.h"
#include "nsn/models/record/run_recorder.h"
#include "nsn/models/record/step_trace.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/scenes/scene.h"
#include "nsn/models/step/simulation.h"
