/// The decisions of a step that are taken on the device, one number at a time
/// (core/step/paper/device_step.h, step_batch.h).
#pragma once

#include "nsn/core/device/krylov_run.h"
#include "nsn/core/step/paper/step_memory.h"
#include "nsn/core/step/step_method.h"

namespace nsn::paper {

/// Errors and merit from the sums over rows and nodes.
template <class View>
NSN_FUNCTION void collect(const View& rows, Index row_chunks, const View& nodes, Index node_chunks,
                          double h, StepStatus& now) {
  double worst = 0.0;
  now.worst = -1;
  for (Index c = 0; c < row_chunks; ++c) {
    const double one = rows(kRowSums * c + kWorst);
    if (one <= worst || worst != worst) continue;
    worst = one;
    now.worst = static_cast<int>(rows(kRowSums * c + kWorstRow)) - 1;
  }
  now.normal = h * worst_of(rows, row_chunks, kRowSums, kNormal);
  now.friction = worst_of(rows, row_chunks, kRowSums, kFriction);
  now.box = worst_of(rows, row_chunks, kRowSums, kBox);
  now.momentum = worst_of(nodes, node_chunks, kNodeSums, kMomentum);
  now.total = worse_of(worst, now.momentum);
  if (!(now.total - now.total == 0.0)) now.total = RowLaw::kInfinity;
  now.merit = std::sqrt(total_of(rows, row_chunks, kRowSums, kRowMerit) +
                        total_of(nodes, node_chunks, kNodeSums, kNodeMerit));
}

/// Of the linear solve before it.
NSN_FUNCTION void add_outcome(const DeviceOutcome& outcome, StepStatus& now) {
  now.linear_iterations = outcome.iterations;
  now.linear_status = outcome.status;
  now.residual = outcome.rhs_norm > 0.0 ? outcome.residual / outcome.rhs_norm : outcome.residual;
}

/// After an iterate was measured: whether it is the best, and whether it ends the step. Where the
/// step had ended before, it was not reached: stop < 0.
NSN_FUNCTION void judge(double tolerance, double speed_scale, StepStatus& now, StepFlags& flags) {
  now.step = flags.step;
  flags.take = 0;
  if (flags.stop != 0) {
    now.stop = -flags.stop;
    return;
  }
  if (now.total < flags.best) {
    flags.best = now.total;
    flags.take = 1;
  }
  if (!(now.merit - now.merit == 0.0)) {
    now.stop = 1 + static_cast<int>(NewtonStatus::kNonFinite);
  } else if (now.total / speed_scale <= tolerance) {
    now.stop = 1 + static_cast<int>(NewtonStatus::kConverged);
  }
  flags.stop = now.stop;
}

/// After a linear solve; probe: not a number where the change is none.
NSN_FUNCTION void judge_change(double largest, double probe, StepFlags& flags) {
  if (flags.stop != 0) return;
  flags.step = largest;
  if (probe != 0.0) flags.stop = 1 + static_cast<int>(NewtonStatus::kLinearFailure);
}

/// What the host calls it.
inline StepError error_of(const StepStatus& status, double speed_scale) {
  StepError error;
  error.normal = status.normal;
  error.friction = status.friction;
  error.box = status.box;
  error.momentum = status.momentum;
  error.total = status.total;
  error.relative = status.total / speed_scale;
  error.worst = status.worst;
  return error;
}

}  // namespace nsn::paper
