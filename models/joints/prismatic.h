/// Prismatic (slider): a moves along the z axis of b and does not turn. Five rows:
/// b_x . d = b_y . d = 0, 2 (x, y, z of Q) = 0.
///
/// axes[0]: the way along b_z, m.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint prismatic_joint(int body_a, int body_b);

}  // namespace nsn
