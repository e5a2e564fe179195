/// Named sets of options for a time step.
///
///   accurate (default)  proximal full-step Newton to a relative error of 1e-9, at most 3000
///                       factorisations, an unsymmetric direct solver
///   realtime            a bounded number of factorisations; friction cones respected, no energy
///                       gained, no guarantee on the error
///   paper               the setting of [Macklin19]: Fischer-Burmeister, alpha-scaled, cold start,
///                       t = 0.75, six iterations of 20 PCR iterations, absolute regularisation
///                       1e-6; and, which is ours, a final projection onto the momentum balance
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/step/newton_options.h"

namespace nsn {

/// Throws std::invalid_argument with the nearest names for an unknown one.
NewtonOptions newton_preset(std::string_view name);
const std::vector<std::string>& preset_names();

}  // namespace nsn
