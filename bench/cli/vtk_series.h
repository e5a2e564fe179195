/// A series of frames for ParaView: one .vtu per frame and a .pvd that lists them with their times.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nsn/models/world/world.h"

namespace nsn::cli {

class VtkSeries {
 public:
  /// Frames go to folder/name_000000.vtu ..., the list to folder/name.pvd.
  VtkSeries(std::filesystem::path folder, std::string name);

  /// Adds the world as it is now: the polygons of all shapes, with body index and speed per cell.
  void add(const World& world);
  /// Writes the .pvd; call once, last. `stopped`: where an interrupt ended the run, as a comment in it.
  void finish(const std::string& stopped = "") const;

 private:
  std::filesystem::path folder_;
  std::string name_;
  std::vector<double> times_;
};

}  // namespace nsn::cli
