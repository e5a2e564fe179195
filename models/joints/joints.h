/// All joint types. A new one is a file pair here: a function that lists its rows and free axes.
#pragma once

#include "nsn/models/joints/cylindrical.h"
#include "nsn/models/joints/distance.h"
#include "nsn/models/joints/fixed.h"
#include "nsn/models/joints/hinges.h"
#include "nsn/models/joints/prismatic.h"
#include "nsn/models/joints/revolute.h"
#include "nsn/models/joints/spherical.h"
#include "nsn/models/joints/universal.h"
#include "nsn/models/joints/weld.h"
