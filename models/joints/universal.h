/// Universal (Cardan): the cross has one arm along the x axis of a and one along the y axis of b.
/// Four rows: d = 0, a_x . b_y = 0. axes[0] is the angle about b_y, axes[1] the one about a_x: seen
/// from b, a is turned by exp(y theta_0) exp(x theta_1).
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint universal_joint(int body_a, int body_b);

}  // namespace nsn
