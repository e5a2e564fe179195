/// Two or three hinges in a row through one point, each at right angles to the next, without bodies
/// in between:
///
///   Q = exp(x theta_0) exp(y theta_1)                      two:   three points, a_y . b_x = 0
///   Q = exp(x theta_0) exp(y theta_1) exp(z theta_2)       three: three points
///
/// Q the orientation of a seen from b: the first axis is fixed in b, the last one in a. axes[k] is
/// theta_k. Two hinges have no singular position; three have one where theta_1 is a right angle
/// (the first and the last axis coincide): keep limits away from it.
#pragma once

#include "nsn/models/joints/joint.h"

namespace nsn {

Joint two_hinge_joint(int body_a, int body_b);
Joint three_hinge_joint(int body_a, int body_b);

/// The rows and axes alone: for joints that also slide.
void turn_about_two(Joint& joint);
void turn_about_three(Joint& joint);

}  // namespace nsn
