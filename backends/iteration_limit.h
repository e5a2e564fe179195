/// The option max_iterations of every iterative backend, and what is said when it is reached.
#pragma once

#include "nsn/core/linear/linear_solver.h"

namespace nsn {

/// The control of one call, with max_iterations taken from the option where it is set.
LinearControl with_limit(const LinearControl& control, int max_iterations);

/// Says how far an iteration came that ran out of iterations.
void explain_limit(const LinearControl& control, LinearReport& report);

}  // namespace nsn
