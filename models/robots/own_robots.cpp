#include "nsn/models/robots/own_robots.h"

#include <algorithm>

#include "nsn/core/base/error.h"

namespace nsn {
namespace {

auto find(std::string_view name) {
  return std::ranges::find(own_robots(), name, &OwnRobot::name);
}

}  // namespace

std::string own_robot_names() {
  std::string names;
  for (const OwnRobot& robot : own_robots()) {
    names += (names.empty() ? "" : ", ") + std::string(robot.name);
  }
  return names;
}

RobotDescription read_own_robot(std::string_view name) {
  const auto robot = find(name);
  NSN_THROW_UNLESS(robot != own_robots().end(), "there is no robot '{}' of our own; there are {}",
                   name, own_robot_names());
  return parse_robot(robot->text, robot->file);
}

RobotDescription read_named_robot(const std::string& name_or_path,
                                  const RobotReadOptions& options) {
  if (find(name_or_path) != own_robots().end()) return read_own_robot(name_or_path);
  return read_robot(name_or_path, options);
}

}  // namespace nsn
