/// One time step of one island without a model: its equations, the three methods, the errors.
#pragma once

#include "nsn/core/step/newton.h"
#include "nsn/core/step/step_error.h"
#include "nsn/core/step/step_method.h"
#include "nsn/core/step/system.h"
#include "nsn/friction_solver.h"
#include "nsn/linear_solver.h"
#include "nsn/matrix.h"
#include "nsn/row_kinds.h"
#include "nsn/runtime.h"
#include "nsn/step_options.h"
#include "nsn/views.h"
