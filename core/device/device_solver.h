/// The contract between Newton's method and a linear solver on a device D, in the scalar Real:
/// operator, right-hand side and answer are spans of the device's memory.
///
///   solver.prepare(queue, op);                    // symbolic or numeric work by the op's ids
///   solver.solve(queue, b, x, control);           // from x = 0
///   queue.copy(host, solver.outcome());           // if anybody wants to know
///
/// A solver that runs on the device copies nothing but `poll` words; one of the host is wrapped by
/// core/device/mirrored.h, which counts what it copies. A failure is a status.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nsn/core/device/krylov_run.h"
#include "nsn/core/device/operator.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn {

/// What one solve is asked for.
template <class D>
struct DeviceControl {
  KrylovGoal goal;
  /// Iterations between two questions of the host whether the solve is done; 0: never, the trips of
  /// all iterations are launched. Without effect where the host reads the device's memory.
  int poll = 8;
  /// One number in the device's memory; not zero: nothing is left to solve.
  Span<D, const int> stop;
  /// Called with every iteration if set: the host then asks after each.
  Monitor monitor;
};

template <class D, class Real>
class DeviceSolver {
 public:
  virtual ~DeviceSolver() = default;

  virtual std::string_view name() const = 0;
  /// "device", "host" or "host (mirrored)".
  virtual std::string_view runs_on() const = 0;
  virtual const Capabilities& capabilities() const = 0;

  /// Symbolic work where op.pattern_id is new. Returns the operations of a factorisation, 0 where the
  /// solver makes none or does not know.
  virtual double analyze(Queue<D>& /*queue*/, const DeviceOperator<D, Real>& /*op*/) { return 0.0; }
  /// Allocates where op.pattern_id is new, takes the values where op.value_id is.
  virtual void prepare(Queue<D>& queue, const DeviceOperator<D, Real>& op) = 0;
  /// x = 0 on entry, whatever is there.
  virtual void solve(Queue<D>& queue, Span<D, const Real> b, Span<D, Real> x,
                     const DeviceControl<D>& control) = 0;
  /// On the device, between solves.
  virtual double bytes_held() const = 0;
  /// Of the last solve: one, in the device's memory.
  virtual Span<D, const DeviceOutcome> outcome() const = 0;
};

}  // namespace nsn
