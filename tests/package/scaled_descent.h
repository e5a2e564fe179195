/// A linear solver that nsn does not know: the user's own.
///
///   z = D^-1 r,   alpha = (z, D^-1 S z) / |D^-1 S z|^2,   x += alpha z
///
/// D is the diagonal of S: each step is the best one along the scaled residual.
#pragma once

#include "nsn/linear_solver.h"

nsn::SolverInfo scaled_descent_backend();
