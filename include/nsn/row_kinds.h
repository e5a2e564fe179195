/// The rows of a step as bodies and records that host and devices evaluate.
#pragma once

#include "nsn/bodies.h"
#include "nsn/core/elastic/spring.h"
#include "nsn/core/elastic/strain_rate.h"
#include "nsn/core/rows/body_stiffness.h"
#include "nsn/core/rows/law_record.h"
#include "nsn/core/rows/resistance_body.h"
#include "nsn/core/rows/step_records.h"
#include "nsn/deformables.h"
#include "nsn/joints.h"
#include "nsn/math.h"
#include "nsn/views.h"
