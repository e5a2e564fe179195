#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace nsn::bench {

/// The value that a share (0 ... 1) of the others does not exceed: one of the values, the nearest
/// in rank. 0 for none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

/// The middle of the values, the upper one of two; 0 for none.
inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

}  // namespace nsn::bench
