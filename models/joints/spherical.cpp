#include "nsn/models/joints/spherical.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint spherical_joint(int body_a, int body_b) {
  Joint joint = make_joint("spherical", body_a, body_b);
  hold_point(joint);
  return joint;
}

Joint ball_joint(int body_a, int body_b) {
  Joint joint = spherical_joint(body_a, body_b);
  JointAxis axis;
  axis.coordinate = coordinate(JointCoordinate::Kind::kAngle);
  joint.axes.push_back(axis);
  for (int i = 0; i < 3; ++i) {
    axis.coordinate = coordinate(JointCoordinate::Kind::kRotation, i);
    joint.axes.push_back(axis);
  }
  return joint;
}

}  // namespace nsn
