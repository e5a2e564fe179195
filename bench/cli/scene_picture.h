/// A world as meshes for the rasteriser.
#pragma once

#include <filesystem>

#include "models/world.h"

namespace nsn::cli {

/// Draws the world to a PNG file.
void write_picture(const World& world, const std::filesystem::path& path, int width = 960,
                   int height = 640);

}  // namespace nsn::cli
