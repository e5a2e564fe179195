/// Random numbers that are the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "nsn/core/base/index.h"

namespace nsn {

/// Numbers from the bits of a generator that the standard fixes; its distributions are not fixed.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1.0p-53;
  }
  double power(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  Index integer(Index n) { return std::min(n - 1, static_cast<Index>(uniform(0.0, n))); }
  /// Sum of twelve uniforms: close enough to normal, and the same everywhere.
  double normal() {
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) sum += uniform(0.0, 1.0);
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace nsn
