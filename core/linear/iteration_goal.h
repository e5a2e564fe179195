/// When an iteration is done: what a LinearControl comes to for a right-hand side.
#pragma once

#include <algorithm>

#include "nsn/core/linear/linear_solver.h"

namespace nsn {

struct IterationGoal {
  /// scale: |b|_2, or what else the relative tolerance refers to.
  IterationGoal(const LinearControl& control, double scale)
      : relative(control.rtol * scale),
        target(std::max(relative, control.atol)),
        budget(control.iteration_budget > 0 && control.iteration_budget <= control.max_iterations),
        limit(budget ? control.iteration_budget : control.max_iterations) {}

  /// Of a residual <= target.
  LinearStatus converged(double residual) const {
    return residual <= relative ? LinearStatus::kConvergedRelative
                                : LinearStatus::kConvergedAbsolute;
  }
  /// After `limit` iterations.
  LinearStatus out_of_iterations() const {
    return budget ? LinearStatus::kBudgetReached : LinearStatus::kMaxIterations;
  }

  double relative;  ///< |r|_2 that meets the relative tolerance
  double target;    ///< |r|_2 that meets one of the two
  bool budget;      ///< the limit is the call's budget: an inexact solve was ordered
  int limit;        ///< most iterations
};

}  // namespace nsn
