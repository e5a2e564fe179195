/// Robots that scenes read from files.
#pragma once

#include <memory>
#include <string>

#include "nsn/core/base/options.h"
#include "nsn/models/robots/read_robot.h"

namespace nsn {

/// The parameter `file` of a scene that needs a robot.
OptionSpec robot_file_option(const std::string& default_path);
/// Reads it: as given, or, where it is the default, below the folder of the environment variable
/// NSN_DATA_DIR, or that of the build. Throws std::invalid_argument that says what was looked for.
std::shared_ptr<const RobotDescription> read_scene_robot(const Options& options,
                                                         const std::string& scene,
                                                         const RobotReadOptions& read = {});

}  // namespace nsn
