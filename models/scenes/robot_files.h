/// Robots of scenes: our own by name (models/robots/own_robots.h), or those of a file.
#pragma once

#include <memory>
#include <string>

#include "nsn/core/base/options.h"
#include "nsn/models/robots/read_robot.h"

namespace nsn {

/// The parameter `file` of a scene that needs a robot; `own` is the name of its default.
OptionSpec robot_file_option(const std::string& own);
/// Reads it: one of our own, a path as given, or a path below `robots` in the folder of the
/// environment variable NSN_DATA_DIR, or in that of the build. Throws std::invalid_argument that
/// says what was looked for.
std::shared_ptr<const RobotDescription> read_scene_robot(const Options& options,
                                                         const std::string& scene,
                                                         const RobotReadOptions& read = {});

}  // namespace nsn
