/// Vectors, quaternions and 3x3 matrices as plain structs; what functions that run on devices are marked with.
#pragma once

#include "nsn/core/base/index.h"
#include "nsn/core/base/lanes.h"
#include "nsn/core/base/math3.h"
#include "nsn/core/base/rotation_kernels.h"
#include "nsn/core/base/small_matrix.h"
#include "nsn/core/base/symmetric_kernels.h"
#include "nsn/ncp/function.h"
