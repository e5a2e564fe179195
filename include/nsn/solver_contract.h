/// What every linear solver must do, as functions to call from a test (library nsn::contract).
#pragma once

#include "nsn/linear_solver.h"
#include "nsn/matrix.h"
#include "nsn/tests/contract/contract_systems.h"
#include "nsn/tests/contract/linear_solver_contract.h"
