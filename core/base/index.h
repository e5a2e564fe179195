/// Indices and sizes that every layer shares, without the views of core/base/types.h.
///
/// Indices are 32 bit: 2^31 scalars are far beyond one machine's memory for the matrices solved here,
/// and half the index traffic is worth having.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace nsn {

using Index = std::int32_t;

/// No bound: of impulses, speeds, times.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An Index that is not negative, for containers of the standard library.
constexpr std::size_t to_size(Index i) {
  return static_cast<std::size_t>(i);
}

/// A block is 3x3, stored row by row.
inline constexpr Index kBlock = 3;
inline constexpr Index kBlockSize = 9;

}  // namespace nsn
