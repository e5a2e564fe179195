/// Wall-clock time of parts of a computation.
#pragma once

#include <chrono>

namespace nsn {

using Clock = std::chrono::steady_clock;

/// Wall-clock time since start, s.
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace nsn
