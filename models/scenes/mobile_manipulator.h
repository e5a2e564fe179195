/// An arm of seven joints on a lift, with a wrist and two fingers, on a base that stands still:
/// sizes, masses, limits and efforts of a mobile manipulator for research. Shapes are cylinders,
/// capsules and boxes; inertia is theirs.
///
/// Degrees of freedom: 0 the lift (m); 1 shoulder pan, 2 shoulder lift, 3 upper arm roll, 4 elbow,
/// 5 forearm roll, 6 wrist flex, 7 wrist roll (rad); 8 and 9 the fingers (m, 0 shut, 0.05 open).
/// The arm points along x where all are zero; the link "gripper" has its origin between the
/// fingertips, x ahead and y the way they open.
#pragma once

#include "nsn/models/robots/arm_script.h"

namespace nsn {

RobotDescription mobile_manipulator();
/// The gripper and what moves it.
ArmTool mobile_manipulator_tool(const RobotDescription& robot);
/// Gains of all drives, those of the arm times `stiffness`; fingers push with at most `grip` (N).
void set_mobile_manipulator_drives(World& world, const Robot& robot, double grip,
                                   double stiffness = 1.0);

}  // namespace nsn
