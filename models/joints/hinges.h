/// Rows and axes of two or three hinges in a row, each at right angles to the next, without bodies
/// in between; they turn a joint, whose points are held by other rows:
///
///   Q = exp(x theta_0) exp(y theta_1)                      two:   one row, a_y . b_x = 0
///   Q = exp(x theta_0) exp(y theta_1) exp(z theta_2)       three: no row
///
/// Q the orientation of a seen from b: the first axis is fixed in b, the last one in a. axes[k] is
/// theta_k. Two hinges have no singular position; three have one if theta_1 is a right angle (the
/// first and the last axis coincide): keep limits away from it.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

void turn_about_two(Joint& joint);
void turn_about_three(Joint& joint);

}  // namespace nsn
