#include "nsn/models/joints/weld.h"

#include "nsn/models/joints/hold.h"

namespace nsn {

Joint weld_joint(int body_a, int body_b, const WeldCompliance& compliance) {
  Joint joint = make_joint("weld", body_a, body_b);
  // World axes where the point is held rigidly: their curvature is exact.
  const bool rigid = norm(compliance.linear) == 0.0;
  const auto point = rigid ? JointCoordinate::Kind::kPoint : JointCoordinate::Kind::kAlong;
  for (int i = 0; i < 3; ++i) {
    joint.rows.push_back(
        {coordinate(point, i), 0.0, compliance.linear[i], compliance.linear_damping[i]});
  }
  for (int i = 0; i < 3; ++i) {
    joint.rows.push_back({coordinate(JointCoordinate::Kind::kTurn, i), 0.0, compliance.angular[i],
                          compliance.angular_damping[i]});
  }
  return joint;
}

}  // namespace nsn
