/// A time step as a bare friction problem, for other programs and for replay.
///
///   u = W r + q,   W = J M^-1 J^T + E,   q = J (u_free - u_start) + value(u_start)
///
/// with the rows at the velocity of the start of the step.
#pragma once

#include "nsn/core/problems/friction_problem.h"
#include "nsn/core/step/system.h"

namespace nsn {

/// Returns true if every row block is a contact: box rows have no place in a friction problem.
bool only_contacts(const System& system);

/// Throws std::invalid_argument unless only_contacts().
FrictionProblem linearised_friction_problem(StepEquations& equations);

}  // namespace nsn
