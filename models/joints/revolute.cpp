#include "nsn/models/joints/revolute.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint revolute_joint(int body_a, int body_b) {
  Joint joint = make_joint("revolute", body_a, body_b);
  hold_point(joint);
  hold_axis(joint);
  joint.axes.push_back({coordinate(JointCoordinate::Kind::kTwist), {}, {}, 0.0});
  return joint;
}

}  // namespace nsn
