/// Small random contact problems for tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "nsn/core/matrix/block_csr.h"

namespace nsn::test {

/// W = J J^T + skewness * (a skew matrix), J random of `rank` columns; every block is full.
inline BlockCsr random_delassus(Index blocks, Index rank, double skewness, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto n = static_cast<std::size_t>(3 * blocks);
  const auto k = static_cast<std::size_t>(rank);
  std::vector<double> J(n * k);
  for (double& value : J) value = normal(random);
  std::vector<double> skew(n * n);
  for (double& value : skew) value = normal(random);
  std::vector<BlockTriplet> triplets;
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = 0; j < blocks; ++j) {
      BlockTriplet t{i, j, {}};
      for (std::size_t e = 0; e < 9; ++e) {
        const std::size_t row = static_cast<std::size_t>(3 * i) + e / 3;
        const std::size_t column = static_cast<std::size_t>(3 * j) + e % 3;
        for (std::size_t m = 0; m < k; ++m) t.value[e] += J[row * k + m] * J[column * k + m];
        t.value[e] += skewness * (skew[row * n + column] - skew[column * n + row]);
      }
      triplets.push_back(t);
    }
  }
  return block_csr_from_triplets(blocks, blocks, triplets);
}

inline Vector random_vector(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Vector v("v", static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) v(i) = normal(random);
  return v;
}

inline Vector vector_of(const std::vector<double>& values) {
  Vector v("v", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) v(i) = values[i];
  return v;
}

}  // namespace nsn::test
