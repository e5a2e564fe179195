/// Bodies and particles, and their state as contiguous arrays.
#pragma once

#include "nsn/core/rows/body_state.h"
#include "nsn/math.h"
#include "nsn/models/world/array_block.h"
#include "nsn/models/world/body.h"
#include "nsn/models/world/body_arrays.h"
#include "nsn/models/world/particle.h"
#include "nsn/models/world/surface.h"
#include "nsn/shapes.h"
