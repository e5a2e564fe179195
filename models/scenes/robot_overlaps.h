/// Links of a robot that overlap where it starts: hulls of concave links do, and nothing could push
/// them apart.
#pragma once

#include <string>
#include <vector>

#include "nsn/models/robots/build_robot.h"

namespace nsn {

/// Lets bodies whose shapes overlap by more than `depth` (m; margins do not count) never touch each other.
/// A sentence for each pair that names the file and its elements.
std::vector<std::string> ignore_overlaps(World& world, const Robot& robot, double depth);

}  // namespace nsn
