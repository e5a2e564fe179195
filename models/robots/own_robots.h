/// Robots of our own: the URDF and MJCF files of models/robots/files. Their text is part of the
/// library, so that they are found wherever it is installed.
///
///   nsn::RobotDescription hand = nsn::read_own_robot("hand");
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "nsn/models/robots/read_robot.h"

namespace nsn {

struct OwnRobot {
  std::string_view name;  ///< "humanoid", "hand", "two-arms"
  std::string_view file;  ///< below models/robots
  std::string_view text;
};

std::span<const OwnRobot> own_robots();
/// "hand, humanoid, two-arms", for messages.
std::string own_robot_names();

/// Reads the one of that name. Throws std::invalid_argument where there is none.
RobotDescription read_own_robot(std::string_view name);
/// The robot of our own of that name, or the file of that path.
RobotDescription read_named_robot(const std::string& name_or_path,
                                  const RobotReadOptions& options = {});

}  // namespace nsn
