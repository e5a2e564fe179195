/// S x = b: operators, the contract of linear solvers and what direct ones share, preconditioners, the
/// registry with the standard solvers, plug-ins.
#pragma once

#include "nsn/backends/standard_backends.h"
#include "nsn/core/linear/direct_solver.h"
#include "nsn/core/linear/linear_operator.h"
#include "nsn/core/linear/linear_solver.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/plugin.h"
#include "nsn/core/linear/preconditioner.h"
#include "nsn/core/linear/product_sums.h"
#include "nsn/core/linear/refinement.h"
#include "nsn/core/linear/solver_registry.h"
#include "nsn/math.h"
#include "nsn/matrix.h"
#include "nsn/runtime.h"
#include "nsn/step_options.h"
#include "nsn/views.h"
