/// Arrays in Kokkos views, loops over them, products and sums of vectors. Includes Kokkos.
#pragma once

#include "nsn/core/base/parallel.h"
#include "nsn/core/base/types.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/math.h"
