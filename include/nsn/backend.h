/// For linear solvers, kinds of rows and kernels of one's own: the contracts and the views they speak.
/// Includes Kokkos.
///
///   #include <nsn/backend.h>
#pragma once

#include "nsn/friction_solver.h"
#include "nsn/linear_solver.h"
#include "nsn/matrix.h"
#include "nsn/newton.h"
#include "nsn/rows.h"
