/// Robots from files: URDF and MJCF.
///
///   nsn::RobotDescription hand = nsn::read_robot("right_hand.xml");
///   nsn::RobotDescription arms = nsn::read_robot("yumi.urdf", {.packages = {{"yumi", "/x"}}});
///
/// The XML is read by tinyxml2, which knows the line of every element. urdfdom, the usual parser of
/// URDF, was not taken: it reports errors to a log without file or line, skips what it does not
/// know without a word, and reads the numbers of a vector with a locale-dependent conversion.
///
/// Files are hostile. The outcome is a robot that can be simulated, or an InputError that names
/// file and line; nothing is half loaded. What a file uses and nsn does not is listed once by name
/// in RobotDescription::unsupported. A missing mesh that is only for pictures is a warning.
///
/// URDF: the root link is fixed to the world; a link called "world" is the world. MJCF: default
/// classes, includes, compiler settings, frames. docs/robots.md has the list of what is read.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "nsn/models/robots/robot_description.h"

namespace nsn {

struct RobotReadOptions {
  /// package://NAME/ is this folder; otherwise the folder above the file that is called NAME or
  /// holds what is asked for.
  std::map<std::string, std::filesystem::path> packages = {};
  /// Includes and meshes outside this folder are refused; empty: the nearest parent with a package.xml, else the folder
  /// of the file. What a package:// resolves to may be read as well.
  std::filesystem::path root = {};
  /// Read the meshes of geometry that is for pictures only, too (MJCF meshes that give mass are
  /// always read).
  bool visual_meshes = false;
};

/// True where nsn was built with tinyxml2; else reading throws std::invalid_argument.
bool reads_robots();

/// By the root element: <robot> or <mujoco>.
RobotDescription read_robot(const std::filesystem::path& path,
                            const RobotReadOptions& options = {});
/// From memory; `path` names the file in errors and says where other files are looked for.
RobotDescription parse_robot(std::string_view text, const std::filesystem::path& path,
                             const RobotReadOptions& options = {});

}  // namespace nsn
