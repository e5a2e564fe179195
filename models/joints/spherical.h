/// Spherical: the origins of the frames coincide, a turns freely. Three rows: d = 0.
///
/// A ball joint whose turning is limited has axes: 0 is the angle of the whole turn,
/// for a limit; 1 ... 3 are the rotation vector in the axes of b, for springs k log(Q), dampers and
/// friction. Springs and dampers are exact about a fixed axis, and to second order otherwise.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint spherical_joint(int body_a, int body_b);
Joint ball_joint(int body_a, int body_b);

}  // namespace nsn
