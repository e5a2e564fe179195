/// Files of friction problems (FCLIB, Siconos' text) and of matrices (MatrixMarket).
#pragma once

#include "nsn/core/io/fclib.h"
#include "nsn/core/io/friction_file.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/core/io/siconos_text.h"
#include "nsn/friction_solver.h"
#include "nsn/matrix.h"
#include "nsn/views.h"
