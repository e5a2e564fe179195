#include "nsn/models/scenes/robot_files.h"

#include <cstdlib>
#include <filesystem>

#include "nsn/core/base/error.h"

namespace nsn {

OptionSpec robot_file_option(const std::string& default_path) {
  return OptionSpec::choice("file", default_path, {},
                            "robot (URDF, MJCF); a path that does not exist as it is is looked for "
                            "in $NSN_DATA_DIR/robots");
}

std::shared_ptr<const RobotDescription> read_scene_robot(const Options& options,
                                                         const std::string& scene,
                                                         const RobotReadOptions& read) {
  namespace fs = std::filesystem;
  fs::path path = options.text("file");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    const char* folder = std::getenv("NSN_DATA_DIR");
    const fs::path beside =
        fs::path(folder != nullptr ? folder : NSN_DATA_DIR) / "robots" / options.text("file");
    NSN_THROW_UNLESS(
        fs::exists(beside, ignored),
        "scene {} needs a robot file: there is no {} and no {} (--set file=PATH, or the "
        "environment variable NSN_DATA_DIR)",
        scene, path.string(), beside.string());
    path = beside;
  }
  return std::make_shared<const RobotDescription>(read_robot(path, read));
}

}  // namespace nsn
