/// What hands and arms work on: a mechanical scale, a flexible beam and its socket.
#pragma once

#include <vector>

#include "nsn/core/base/options.h"
#include "nsn/models/robots/rigid_frame.h"
#include "nsn/models/world/world.h"

namespace nsn {

/// A plate on a spring turns a needle by a rod on a crank, sin(angle) = sinking / crank up to
/// (1 - cos(angle))^2 crank / (2 rod). The needle is balanced about its axle. `position` is the
/// middle of the plate, 10 mm thick; crank 30 mm, rod 60 mm; stiffness N/m.
void add_scale(World& world, int ground, const Vec3& position, double stiffness, double mu);

inline constexpr double kBeamPiece = 0.04;  ///< length of a piece of the beam, m
inline constexpr double kBeamWidth = 0.02;  ///< m

/// A beam of pieces, each welded to the next with a bending stiffness, behind `nose`, whose x axis
/// points ahead. Returns the bodies, the first one ahead.
std::vector<int> add_beam(World& world, const Options& options, const RigidFrame& nose);
/// Its parameters: pieces, mass, stiffness, damping, clearance, mu.
std::vector<OptionSpec> beam_options();

/// A static channel along the x axis of `mouth` with a funnel in front and a bottom at `depth` (m).
/// Its width is that of the beam and the clearance of the options. Returns the body.
int add_socket(World& world, const Options& options, const RigidFrame& mouth, double depth);

}  // namespace nsn
