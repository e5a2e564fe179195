/// All joint types. A new one is a file pair here: a function that lists its rows and free axes.
#pragma once

#include "models/joints/cylindrical.h"
#include "models/joints/distance.h"
#include "models/joints/fixed.h"
#include "models/joints/hinges.h"
#include "models/joints/prismatic.h"
#include "models/joints/revolute.h"
#include "models/joints/spherical.h"
#include "models/joints/universal.h"
#include "models/joints/weld.h"
