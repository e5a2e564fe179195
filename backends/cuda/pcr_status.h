/// How an iteration on the device ended, in the words of a report.
#pragma once

#include "nsn/backends/cuda/pcr_control.h"
#include "nsn/core/linear/linear_solver.h"

namespace nsn::cuda {

/// Sets status and detail; rhs_norm and recurrence_residual are known.
void set_status(PcrEnd end, const LinearControl& control, LinearReport& report);

}  // namespace nsn::cuda
