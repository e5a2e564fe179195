/// Options and results of a time step: method, tolerance, budget, statuses, bytes that crossed to a device.
#pragma once

#include "nsn/core/contact/factorization_cost.h"
#include "nsn/core/device/traffic.h"
#include "nsn/core/linear/linear_status.h"
#include "nsn/core/step/newton_options.h"
#include "nsn/core/step/newton_result.h"
#include "nsn/core/step/policy.h"
#include "nsn/math.h"
#include "nsn/ncp.h"
#include "nsn/precond/complementarity_options.h"
#include "nsn/runtime.h"
