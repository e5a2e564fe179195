#include <gtest/gtest.h>

#include "bench/compare/comparison.h"
namespace {}
