#include "nsn/models/scenes/robot_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "nsn/core/base/error.h"
#include "nsn/models/robots/own_robots.h"

namespace nsn {
namespace {

namespace fs = std::filesystem;

bool is_own(const std::string& name) {
  const auto robots = own_robots();
  return std::any_of(robots.begin(), robots.end(),
                     [&](const OwnRobot& robot) { return robot.name == name; });
}

/// The path as it is, or below the folder of public robots.
fs::path found(const std::string& path, const std::string& scene) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  const char* folder = std::getenv("NSN_DATA_DIR");
  fs::path beside = fs::path(folder != nullptr ? folder : NSN_DATA_DIR) / "robots" / path;
  NSN_THROW_UNLESS(fs::exists(beside, ignored),
                   "scene {}: there is no robot file {} and no {} (--set file=PATH, or the "
                   "environment variable NSN_DATA_DIR); our own robots are {}",
                   scene, path,
                   folder != nullptr
                       ? beside.string()
                       : fmt::format("robots/{} in the data folder of this build", path),
                   own_robot_names());
  return beside;
}

}  // namespace

OptionSpec robot_file_option(const std::string& own) {
  return OptionSpec::choice("file", own, {},
                            "robot: " + own_robot_names() +
                                " (our own), or the path of a URDF or MJCF file, as it is or below "
                                "$NSN_DATA_DIR/robots");
}

std::shared_ptr<const RobotDescription> read_scene_robot(const Options& options,
                                                         const std::string& scene,
                                                         const RobotReadOptions& read) {
  const std::string& name = options.text("file");
  return std::make_shared<const RobotDescription>(
      is_own(name) ? read_own_robot(name) : read_robot(found(name, scene), read));
}

}  // namespace nsn
