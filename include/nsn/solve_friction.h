/// Friction problems in a caller's arrays: one function, no matrix type.
#pragma once

#include "nsn/models/problems/solve_friction.h"
