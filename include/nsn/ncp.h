/// NCP functions and friction laws: small functors of (value, impulse) with their derivatives, for host and devices.
#pragma once

#include "nsn/math.h"
#include "nsn/ncp/block_linearization.h"
#include "nsn/ncp/fischer_burmeister.h"
#include "nsn/ncp/friction.h"
#include "nsn/ncp/minimum_map.h"
#include "nsn/ncp/natural_map.h"
#include "nsn/ncp/ncp_value.h"
