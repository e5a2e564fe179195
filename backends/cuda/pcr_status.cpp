#include "nsn/backends/cuda/pcr_status.h"

namespace nsn::cuda {
namespace {

LinearStatus status_of(PcrEnd end, const LinearControl& control, const LinearReport& report) {
  const bool budget =
      control.iteration_budget > 0 && control.iteration_budget <= control.max_iterations;
  switch (end) {
    case PcrEnd::kRunning:
      return LinearStatus::kBackendError;
    case PcrEnd::kConverged:
      return report.recurrence_residual <= control.rtol * report.rhs_norm
                 ? LinearStatus::kConvergedRelative
                 : LinearStatus::kConvergedAbsolute;
    case PcrEnd::kLeastSquares:
      return LinearStatus::kConvergedLeastSquares;
    case PcrEnd::kLimit:
      return budget ? LinearStatus::kBudgetReached : LinearStatus::kMaxIterations;
    case PcrEnd::kBreakdown:
      return LinearStatus::kBreakdown;
    case PcrEnd::kIndefinite:
      return LinearStatus::kIndefinite;
    case PcrEnd::kRoundingReached:
      return LinearStatus::kStagnation;
  }
  return LinearStatus::kBackendError;
}

const char* detail_of(LinearStatus status) {
  switch (status) {
    case LinearStatus::kMaxIterations:
      return "the iteration limit was reached";
    case LinearStatus::kBreakdown:
      return "the recurrence met a number that is not finite; the best iterate is returned";
    case LinearStatus::kIndefinite:
      return "met a direction of zero or negative curvature";
    case LinearStatus::kStagnation:
      return "the residual recomputed from x stopped falling: rounding is reached";
    case LinearStatus::kBackendError:
      return "the device returned no ending";
    default:
      return "";
  }
}

}  // namespace

void set_status(PcrEnd end, const LinearControl& control, LinearReport& report) {
  report.status = status_of(end, control, report);
  report.detail = detail_of(report.status);
}

}  // namespace nsn::cuda
