#include "models/joints/universal.h"

#include "models/joints/hold.h"

namespace nsn {

Joint universal_joint(int body_a, int body_b) {
  Joint joint = make_joint("universal", body_a, body_b);
  hold_point(joint);
  joint.rows.push_back({coordinate(JointCoordinate::Kind::kCosine, 0, 1)});
  return joint;
}

}  // namespace nsn
