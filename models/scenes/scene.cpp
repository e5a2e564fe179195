#include "nsn/models/scenes/scene.h"

#include "nsn/core/base/error.h"

namespace nsn {

const std::vector<SceneInfo>& scenes() {
  static const std::vector<SceneInfo> all = [] {
    std::vector<SceneInfo> list;
    for (const auto& family : {sliding_scenes(), balance_scenes(), stack_scenes(), arch_scenes(),
                               leaning_scenes(), pile_scenes(), mechanism_scenes(), impact_scenes(),
                               insertion_scenes(), soft_scenes(), grasp_scenes(), humanoid_scenes(),
                               hand_scenes(), arm_scenes(), cabinet_scenes(), robot_scenes()}) {
      list.insert(list.end(), family.begin(), family.end());
    }
    return list;
  }();
  return all;
}

const SceneInfo& scene_info(std::string_view name) {
  std::vector<std::string> names;
  for (const SceneInfo& info : scenes()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw std::invalid_argument(fmt::format("unknown scene '{}'{}", name, suggestion(name, names)));
}

World make_scene(std::string_view name, const Options::Assignments& parameters) {
  const SceneInfo& info = scene_info(name);
  return info.make(Options(info.options, parameters, "scene " + info.name));
}

}  // namespace nsn
