/// Newton systems of a step as folders that `nsn compare` reads.
#pragma once

#include <filesystem>
#include <string>

#include "nsn/core/io/exported_system.h"
#include "nsn/core/step/newton.h"

namespace nsn::cli {

/// Writes what an observer saw: A (and its symmetric part), b, and the unreduced J, H, C;
/// system.json names scene, step, island, iteration and form.
void write_newton_system(const std::filesystem::path& folder, const NewtonSystemView& view,
                         SystemFormat format, const std::string& scene, int step, int island);

/// The linearised friction problem of an island as an FCLIB file that `nsn solve` reads. Returns
/// the path, or an empty one where the island has rows that are no contacts, or this build no HDF5.
std::filesystem::path write_friction_step(const std::filesystem::path& folder,
                                          StepEquations& equations, const std::string& scene,
                                          int step, int island);

}  // namespace nsn::cli
