// Parsed once per build: third-party and standard headers that most sources include.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>
