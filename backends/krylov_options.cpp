#include "backends/krylov_options.h"

#include <fmt/format.h>

namespace nsn {

std::vector<OptionSpec> krylov_options() {
  return {OptionSpec::integer("max_iterations", 0, 0, 1e9,
                              "most iterations; 0: as many as the call allows"),
          OptionSpec::choice("precond", "jacobi", {"none", "jacobi", "block-jacobi", "amg"},
                             "preconditioner")};
}

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

void explain(const LinearControl& control, const Preconditioner& P, LinearReport& report) {
  explain_limit(control, report);
  if (report.ok() || P.note().empty()) return;
  if (!report.detail.empty()) report.detail += "; ";
  report.detail += P.note();
}

}  // namespace nsn
