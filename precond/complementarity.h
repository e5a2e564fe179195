/// The complementarity preconditioner rho of a step (precond/complementarity_options.h).
#pragma once

#include "nsn/core/base/types.h"
#include "nsn/core/step/system.h"
#include "nsn/precond/complementarity_options.h"

namespace nsn {

/// Fills system.rho from J at the start of the step (values of `J`, pattern of the system). A row
/// whose diagonal vanishes gets rho = 1/kg. Throws std::invalid_argument for a multiplier that is
/// not positive or a user vector of the wrong length or sign.
void set_complementarity_scaling(const ComplementarityOptions& options, const BlockCsr& J,
                                 System& system);

}  // namespace nsn
