/// A recorded run as animated glTF 2.0 in one binary file (.glb), for Blender and every other program that reads it:
/// a node per body with its motion, deformables as morph targets, a camera. No forces.
#pragma once

#include <filesystem>
#include <string>

#include "nsn/models/record/run.h"

namespace nsn {

std::string glb_bytes(const RecordedRun& run);
void write_glb(const std::filesystem::path& path, const RecordedRun& run);

}  // namespace nsn
