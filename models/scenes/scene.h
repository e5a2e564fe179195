/// Scenes by name: written once, used by tests, benchmarks, studies and the command line.
///
///   nsn::World world = nsn::make_scene("heavy-stack", {{"mu", "0.4"}});
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/models/world/world.h"

namespace nsn {

struct SceneInfo {
  std::string name;
  std::string summary;              ///< one line: what it shows and its closed form
  std::vector<OptionSpec> options;  ///< parameters with unit, default and range
  int default_steps = 240;          ///< of 1/120 s
  std::function<World(const Options&)> make;
};

/// All scenes, in the order of the documentation.
const std::vector<SceneInfo>& scenes();
/// Throws std::invalid_argument with the nearest names for an unknown one.
const SceneInfo& scene_info(std::string_view name);
/// Throws std::invalid_argument for an unknown scene, an unknown parameter or a value out of range.
World make_scene(std::string_view name, const Options::Assignments& parameters = {});

// Families of scenes, one file each; scenes() joins them.
std::vector<SceneInfo> sliding_scenes();    ///< sliding.cpp
std::vector<SceneInfo> balance_scenes();    ///< balance.cpp
std::vector<SceneInfo> stack_scenes();      ///< stacks.cpp
std::vector<SceneInfo> arch_scenes();       ///< arches.cpp
std::vector<SceneInfo> pile_scenes();       ///< piles.cpp
std::vector<SceneInfo> mechanism_scenes();  ///< mechanisms.cpp
std::vector<SceneInfo> impact_scenes();     ///< impacts.cpp
std::vector<SceneInfo> insertion_scenes();  ///< insertion.cpp
std::vector<SceneInfo> leaning_scenes();    ///< leaning.cpp
std::vector<SceneInfo> soft_scenes();       ///< soft.cpp
std::vector<SceneInfo> grasp_scenes();      ///< grasp.cpp
std::vector<SceneInfo> humanoid_scenes();   ///< humanoids.cpp
std::vector<SceneInfo> hand_scenes();       ///< hands.cpp
std::vector<SceneInfo> arm_scenes();        ///< arms.cpp
std::vector<SceneInfo> cabinet_scenes();    ///< cabinets.cpp
std::vector<SceneInfo> robot_scenes();      ///< any_robot.cpp

}  // namespace nsn
