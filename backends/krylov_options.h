/// Options that pcg, pcr and gmres share, and the preconditioner they name.
#pragma once

#include <memory>
#include <vector>

#include "core/solver_registry.h"

namespace nsn {

/// max_iterations (0: what the call asks for) and precond (none, jacobi, block-jacobi, amg).
std::vector<OptionSpec> krylov_options();

/// The control of one call, with max_iterations taken from the option where it is set.
LinearControl with_limit(const LinearControl& control, int max_iterations);

/// Says how far an iteration came that ran out of iterations.
void explain_limit(const LinearControl& control, LinearReport& report);
/// The same, and the preconditioner's note after a solve that went wrong.
void explain(const LinearControl& control, const Preconditioner& P, LinearReport& report);

}  // namespace nsn
