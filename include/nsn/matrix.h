/// Sparse matrices: scalar CSR, 3x3 block CSR, a caller's arrays seen as CSR.
#pragma once

#include "nsn/core/matrix/block_csr.h"
#include "nsn/core/matrix/csr.h"
#include "nsn/core/matrix/csr_view.h"
#include "nsn/views.h"
