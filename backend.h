/// For linear solvers, kinds of rows and kernels of one's own: the contracts and the views they speak.
/// Includes Kokkos.
///
///   #include <nsn/backend.h>
#pragma once

#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/preconditioner.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"
#include "nsn/core/matrix/csr_view.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/core/step/newton.h"
#include "nsn/models/rows/row_set.h"
