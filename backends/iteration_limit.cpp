#include "nsn/backends/iteration_limit.h"

#include <fmt/format.h>

namespace nsn {

LinearControl with_limit(const LinearControl& control, int max_iterations) {
  LinearControl limited = control;
  if (max_iterations > 0) limited.max_iterations = max_iterations;
  return limited;
}

void explain_limit(const LinearControl& control, LinearReport& report) {
  if (report.status != LinearStatus::kMaxIterations) return;
  report.detail =
      fmt::format("residual {:.1e} |b| after {} iterations, {:.1e} was asked",
                  report.recurrence_residual / report.rhs_norm, report.iterations, control.rtol);
}

}  // namespace nsn
