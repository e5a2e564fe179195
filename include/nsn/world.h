/// World: bodies, shapes, joints, particles and deformables that are simulated together.
#pragma once

#include "nsn/bodies.h"
#include "nsn/deformables.h"
#include "nsn/joints.h"
#include "nsn/math.h"
#include "nsn/models/world/world.h"
#include "nsn/shapes.h"
