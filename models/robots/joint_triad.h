/// Joints of one link as one joint of the world: at most three slides along and then at most three
/// hinges about the axes of one orthonormal frame, all hinges through one point.
///
/// Most robots fit: single joints, universal wrists, hips of three axes, planar bases. The axes may
/// point either way and in any order; `sign` says how each one lies in the frame.
#pragma once

#include <optional>
#include <vector>

#include "nsn/models/robots/robot_description.h"

namespace nsn {

struct TriadAxis {
  int axis = 0;       ///< 0 ... 2, of the frame
  double sign = 1.0;  ///< coordinate of the joint = sign x coordinate of the world's joint
};

struct JointTriad {
  RigidFrame frame;              ///< in the link
  std::vector<TriadAxis> slide;  ///< in the order of the link's joints
  std::vector<TriadAxis> hinge;  ///< one: about z; two: x, y; three: x, y, z
};

/// Nothing where the first `count` joints (hinges and slides) do not fit.
std::optional<JointTriad> joint_triad(const RobotLink& link, std::size_t count);

}  // namespace nsn
