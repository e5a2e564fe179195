#include "nsn/models/joints/universal.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint universal_joint(int body_a, int body_b) {
  using Kind = JointCoordinate::Kind;
  Joint joint = make_joint("universal", body_a, body_b);
  hold_point(joint);
  joint.rows.push_back({coordinate(Kind::kCosine, 0, 1)});
  for (const auto& c : {coordinate(Kind::kAzimuthA, 1, 0), coordinate(Kind::kAzimuthB, 0, 1)}) {
    JointAxis axis;
    axis.coordinate = c;
    joint.axes.push_back(axis);
  }
  return joint;
}

}  // namespace nsn
