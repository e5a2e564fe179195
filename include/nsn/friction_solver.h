/// Friction problems u = W r + q in matrices of this library: laws of rows, proximal Newton, sweeps,
/// certificates, errors.
#pragma once

#include "nsn/core/contact/contact_gauss_seidel.h"
#include "nsn/core/contact/newton_system.h"
#include "nsn/core/contact/no_solution.h"
#include "nsn/core/contact/proximal_newton.h"
#include "nsn/core/contact/proximal_schedule.h"
#include "nsn/core/contact/row_law.h"
#include "nsn/core/contact/scaled_problem.h"
#include "nsn/core/problems/friction_error.h"
#include "nsn/core/problems/friction_problem.h"
#include "nsn/core/problems/friction_solver.h"
#include "nsn/linear_solver.h"
#include "nsn/math.h"
#include "nsn/matrix.h"
#include "nsn/ncp.h"
#include "nsn/runtime.h"
#include "nsn/step_options.h"
#include "nsn/views.h"
