#include "nsn/models/robots/read_robot.h"

#include "nsn/core/base/error.h"
#include "nsn/core/io/text_file.h"

#ifdef NSN_WITH_TINYXML2
#include "nsn/models/robots/xml.h"
#endif

namespace nsn {

#ifdef NSN_WITH_TINYXML2

bool reads_robots() {
  return true;
}

namespace {

namespace fs = std::filesystem;

fs::path model_root(const fs::path& path, const RobotReadOptions& options) {
  if (!options.root.empty()) return options.root;
  std::error_code ignored;
  fs::path own = fs::absolute(path, ignored).lexically_normal().parent_path();
  for (fs::path folder = own; folder != folder.root_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "package.xml", ignored)) return folder;
  }
  return own;
}

}  // namespace

RobotDescription parse_robot(std::string_view text, const std::filesystem::path& path,
                             const RobotReadOptions& options) {
  robots::XmlFiles xml;
  xml.allow(model_root(path, options));
  const tinyxml2::XMLElement* root = xml.parse(text, path.string());
  const std::string_view tag = root->Name();
  RobotDescription robot;
  if (tag == "robot") {
    robot = robots::read_urdf(xml, root, path, options);
  } else if (tag == "mujoco") {
    robot = robots::read_mjcf(xml, root, path, options);
  } else {
    xml.fail(root, "<{}> is neither <robot> (URDF) nor <mujoco> (MJCF)", tag);
  }
  validate(robot);
  split_joint_chains(robot);
  return robot;
}

#else

bool reads_robots() {
  return false;
}

RobotDescription parse_robot(std::string_view, const std::filesystem::path& path,
                             const RobotReadOptions&) {
  throw std::invalid_argument(
      fmt::format("{}: nsn was built without tinyxml2, which reads URDF and MJCF", path.string()));
}

#endif

RobotDescription read_robot(const std::filesystem::path& path, const RobotReadOptions& options) {
  return parse_robot(read_text_file(path), path, options);
}

}  // namespace nsn
