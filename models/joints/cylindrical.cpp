#include "nsn/models/joints/cylindrical.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint cylindrical_joint(int body_a, int body_b) {
  Joint joint = make_joint("cylindrical", body_a, body_b);
  hold_on_axis(joint);
  hold_axis(joint);
  joint.axes.push_back({coordinate(JointCoordinate::Kind::kTwist), {}, {}, 0.0});
  joint.axes.push_back({coordinate(JointCoordinate::Kind::kAlong, 2), {}, {}, 0.0});
  return joint;
}

}  // namespace nsn
