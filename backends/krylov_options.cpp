#include "backends/krylov_options.h"

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

void explain(const Preconditioner& P, LinearReport& report) {
  if (report.ok() || P.note().empty()) return;
  if (!report.detail.empty()) report.detail += "; ";
  report.detail += P.note();
}

}  // namespace nsn
