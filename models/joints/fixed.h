/// Fixed: body a moves with body b. Six rows: d = 0, 2 (x, y, z of Q) = 0.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint fixed_joint(int body_a, int body_b);

}  // namespace nsn
