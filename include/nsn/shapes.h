/// Shapes of collision: sphere, box, capsule, cylinder, plane, convex hull, triangle mesh.
#pragma once

#include "nsn/math.h"
#include "nsn/models/collision/box.h"
#include "nsn/models/collision/capsule.h"
#include "nsn/models/collision/convex_hull.h"
#include "nsn/models/collision/convex_shape.h"
#include "nsn/models/collision/cylinder.h"
#include "nsn/models/collision/gjk.h"
#include "nsn/models/collision/normal_arc.h"
#include "nsn/models/collision/plane.h"
#include "nsn/models/collision/point_tree.h"
#include "nsn/models/collision/polytope.h"
#include "nsn/models/collision/shape.h"
#include "nsn/models/collision/solid.h"
#include "nsn/models/collision/sphere.h"
#include "nsn/models/collision/triangle_mesh.h"
