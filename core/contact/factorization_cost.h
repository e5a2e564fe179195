/// When a factorisation is expensive, and what sweeps before it are worth.
#pragma once

#include "nsn/core/base/index.h"

namespace nsn {

/// Policy: operations from which a factorisation is expensive, so that ADMM and sweeps before it are
/// worth their time. Without them: 1.2 times the work on the public problems of
/// bench/ablation/friction_cases.csv.
inline constexpr double kExpensiveFactorization = 3e6;
/// Even a dense factorisation over this number n of row blocks is not: (3 n)^3 / 3 operations.
inline bool cheap_at_worst(Index blocks) {
  const double rows = 3.0 * blocks;
  return rows * rows * rows / 3.0 <= kExpensiveFactorization;
}
/// Policy: time of the sweeps before an expensive factorisation, in factorisations.
inline constexpr double kSweepsWorth = 1.5;

}  // namespace nsn
