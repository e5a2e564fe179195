/// What a run did: pages to turn in the hand, glTF, traces.
#pragma once

#include "nsn/bodies.h"
#include "nsn/math.h"
#include "nsn/models/record/glb.h"
#include "nsn/models/record/run.h"
#include "nsn/models/record/run_file.h"
#include "nsn/models/record/run_page.h"
#include "nsn/models/record/run_recorder.h"
#include "nsn/models/record/step_trace.h"
#include "nsn/simulation.h"
