/// Cylindrical: a moves along the z axis of b and turns about it. Four rows: b_x . d = b_y . d = 0,
/// a_z . b_x = a_z . b_y = 0.
///
/// axes[0]: the angle about b_z, rad, counted over whole turns. axes[1]: the way along b_z, m.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint cylindrical_joint(int body_a, int body_b);

}  // namespace nsn
