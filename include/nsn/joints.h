/// Joints between two bodies, with limits, drives and friction; the forces they carry.
#pragma once

#include "nsn/bodies.h"
#include "nsn/core/rows/joint_coordinate.h"
#include "nsn/math.h"
#include "nsn/models/joints/cylindrical.h"
#include "nsn/models/joints/distance.h"
#include "nsn/models/joints/fixed.h"
#include "nsn/models/joints/hinges.h"
#include "nsn/models/joints/joint.h"
#include "nsn/models/joints/joint_reaction.h"
#include "nsn/models/joints/joints.h"
#include "nsn/models/joints/prismatic.h"
#include "nsn/models/joints/revolute.h"
#include "nsn/models/joints/spherical.h"
#include "nsn/models/joints/universal.h"
#include "nsn/models/joints/weld.h"
