/// Newton systems of a step as folders that `nsn compare` reads.
#pragma once

#include <filesystem>
#include <string>

#include "core/newton.h"

namespace nsn::cli {

/// Writes what an observer saw: A, b, and the unreduced factors J, H, C; system.json names scene,
/// step, island, iteration and form.
void write_newton_system(const std::filesystem::path& folder, const NewtonSystemView& view,
                         const std::string& scene, int step, int island);

}  // namespace nsn::cli
