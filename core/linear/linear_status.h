/// How linear solves end.
#pragma once

#include <string_view>

namespace nsn {

/// How a solve ended. The first five are answers one can use.
enum class LinearStatus {
  kConvergedRelative,      ///< |b - S x| <= rtol |b|
  kConvergedAbsolute,      ///< |b - S x| <= atol
  kConvergedLeastSquares,  ///< S is singular and b not in its range: |S r| <= rtol |S| |r|, or
                           ///< 1e-7 |S| |r| where rounding lets no smaller value be told from 0
  kBudgetReached,          ///< control.iteration_budget spent: as ordered, an inexact solve
  kDirect,                 ///< a direct solver answered without a tolerance being asked of it
  kMaxIterations,          ///< control.max_iterations spent without reaching the tolerance
  kBreakdown,              ///< the recurrence met a zero or a non-number it cannot pass
  kIndefinite,             ///< S is not positive (semi)definite and the solver needs it to be
  kStagnation,             ///< no further progress
  kSingularPivot,          ///< a direct solver met a pivot of zero; detail names its row
  kInaccurate,             ///< a direct solver answered, but the true residual misses the tolerance
  kNonFinite,              ///< NaN or infinity in S or b
  kBackendError,           ///< a third-party library failed; detail carries its words
};

std::string_view to_string(LinearStatus status);

}  // namespace nsn
