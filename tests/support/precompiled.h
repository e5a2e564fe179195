// Parsed once per build for all test programs.
#pragma once

#include <gtest/gtest.h>

#include "../../cmake/precompiled.h"
