/// Scenes by name, with their parameters.
#pragma once

#include "nsn/models/scenes/scene.h"
#include "nsn/runtime.h"
#include "nsn/world.h"
