// Parsed once per build for all test programs.
#pragma once

#include "../../cmake/precompiled.h"
#include <gtest/gtest.h>
