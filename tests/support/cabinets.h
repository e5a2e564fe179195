/// Questions about the scene yumi-cabinet.
#pragma once

#include <vector>

#include "nsn/models/rows/joint_rows.h"
#include "nsn/models/step/simulation.h"

namespace nsn::test {

/// How far the drawer that each robot pulls is open, m: the third of the six of a cabinet.
inline std::vector<double> openings(const Simulation& simulation) {
  std::vector<double> open;
  int drawer = 0;
  for (int j = 0; j < simulation.world().joints().num_joints(); ++j) {
    if (simulation.world().joint(j).name != "slide") continue;
    if (drawer++ % 6 == 2) open.push_back(simulation.joint_position(j, 0));
  }
  return open;
}

}  // namespace nsn::test
