/// Spherical: the origins of the frames coincide, a turns freely. Three rows: d = 0.
#pragma once

#include "models/joints/joint.h"

namespace nsn {

Joint spherical_joint(int body_a, int body_b);

}  // namespace nsn
