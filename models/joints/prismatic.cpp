#include "nsn/models/joints/prismatic.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint prismatic_joint(int body_a, int body_b) {
  Joint joint = make_joint("prismatic", body_a, body_b);
  hold_on_axis(joint);
  hold_turn(joint);
  joint.axes.push_back({coordinate(JointCoordinate::Kind::kAlong, 2), {}, {}, 0.0});
  return joint;
}

}  // namespace nsn
