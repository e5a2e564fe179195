/// RowSet: a kind of constraint of one's own.
#pragma once

#include "nsn/bodies.h"
#include "nsn/math.h"
#include "nsn/matrix.h"
#include "nsn/models/rows/row_set.h"
#include "nsn/models/world/configuration.h"
#include "nsn/newton.h"
#include "nsn/row_kinds.h"
