/// Start of Kokkos and threads, options as text (`name:key=value`), the clock of deadlines.
#pragma once

#include "nsn/core/base/options.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/base/work_clock.h"
