/// Robots: read from URDF and MJCF, built into a world, or those that are part of the library.
#pragma once

#include "nsn/bodies.h"
#include "nsn/deformables.h"
#include "nsn/joints.h"
#include "nsn/math.h"
#include "nsn/models/robots/build_robot.h"
#include "nsn/models/robots/kinematics.h"
#include "nsn/models/robots/own_robots.h"
#include "nsn/models/robots/read_robot.h"
#include "nsn/models/robots/rigid_frame.h"
#include "nsn/models/robots/robot_description.h"
#include "nsn/models/robots/robot_shapes.h"
#include "nsn/shapes.h"
#include "nsn/world.h"
