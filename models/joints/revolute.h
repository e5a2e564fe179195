/// Revolute (hinge): a turns about the z axis of b. Five rows: d = 0, a_z . b_x = a_z . b_y = 0.
///
/// axes[0]: the angle about b_z, rad, counted over whole turns.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint revolute_joint(int body_a, int body_b);

}  // namespace nsn
