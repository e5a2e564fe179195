/// Any linear solver of the host under a driver on a device: the pattern comes down once, the values
/// at every preparation, b and x cross at every solve, all counted. Where the host reads the device's
/// memory the solver works on the spans themselves.
#pragma once

#include <memory>
#include <utility>

#include "nsn/core/device/device_solver.h"
#include "nsn/core/device/mirror.h"
#include "nsn/core/linear/schur_operator.h"

namespace nsn {

template <class D, class Real>
class Mirrored final : public DeviceSolver<D, Real> {
 public:
  explicit Mirrored(std::unique_ptr<LinearSolver> solver) : solver_(std::move(solver)) {
    outcome_ = allocate_on<D, DeviceOutcome>("outcome", 1);
  }

  std::string_view name() const override { return solver_->name(); }
  std::string_view runs_on() const override {
    return kIsHostArray<D, Real> ? "host" : "host (mirrored)";
  }
  const Capabilities& capabilities() const override { return solver_->capabilities(); }
  Span<D, const DeviceOutcome> outcome() const override { return outcome_; }
  double bytes_held() const override { return sizeof(DeviceOutcome); }

  double analyze(Queue<D>& queue, const DeviceOperator<D, Real>& op) override {
    follow_pattern(queue, op);
    solver_->analyze(op.entries ? static_cast<const LinearOperator&>(*blocks_) : *factors_);
    return solver_->factorization_flops();
  }

  void prepare(Queue<D>& queue, const DeviceOperator<D, Real>& op) override {
    follow_pattern(queue, op);
    if (op.value_id == value_id_) return;
    value_id_ = op.value_id;
    if (op.entries) {
      static_cast<void>(S_.read(queue, op.S));
      blocks_->values_changed(op.symmetric);
      solver_->prepare(*blocks_);
      return;
    }
    static_cast<void>(J_.read(queue, op.J));
    static_cast<void>(H_.read(queue, op.H_inverse));
    static_cast<void>(C_.read(queue, op.C));
    factors_->values_changed();
    solver_->prepare(*factors_);
  }

  void solve(Queue<D>& queue, Span<D, const Real> b, Span<D, Real> x,
             const DeviceControl<D>& control) override {
    const Vector x_host = x_.room(x);
    std::fill_n(x_host.data(), x_host.extent(0), 0.0);
    LinearControl host;
    host.rtol = control.goal.rtol;
    host.atol = control.goal.atol;
    (control.goal.budget ? host.iteration_budget : host.max_iterations) = control.goal.limit;
    const LinearReport report = solver_->solve(b_.read(queue, b), x_host, host);
    x_.write(queue, x);
    DeviceOutcome one;
    one.status = static_cast<int>(report.status);
    one.iterations = report.iterations;
    one.residual = report.true_residual;
    one.rhs_norm = report.rhs_norm;
    queue.copy(outcome_, HostSpan<const DeviceOutcome>(&one, 1));
  }

 private:
  static IndexVector index(Queue<D>& queue, Span<D, const Index> from) {
    IndexVector to("pattern", from.extent(0));
    queue.copy(to, from);
    return to;
  }

  void follow_pattern(Queue<D>& queue, const DeviceOperator<D, Real>& op) {
    if (op.pattern_id == pattern_id_) return;
    pattern_id_ = op.pattern_id;
    value_id_ = 0;
    take_pattern(queue, op);
  }

  void take_pattern(Queue<D>& queue, const DeviceOperator<D, Real>& op) {
    blocks_.reset();
    factors_.reset();
    if (op.entries) {
      blocks_ = std::make_unique<BlockOperator>(BlockCsr{op.rows, op.rows, index(queue, op.S_begin),
                                                         index(queue, op.S_column), S_.room(op.S)},
                                                op.symmetric);
      return;
    }
    BlockCsr C;
    C.rows = C.columns = op.rows;
    C.row_begin = IndexVector("C row_begin", to_size(op.rows) + 1);
    C.column = IndexVector("C column", to_size(op.rows));
    for (Index i = 0; i < op.rows; ++i) {
      C.row_begin(i + 1) = i + 1;
      C.column(i) = i;
    }
    C.value = C_.room(op.C);
    factors_ =
        std::make_unique<SchurOperator>(BlockCsr{op.rows, op.nodes, index(queue, op.row_begin),
                                                 index(queue, op.column), J_.room(op.J)},
                                        H_.room(op.H_inverse), C);
  }

  std::unique_ptr<LinearSolver> solver_;
  std::uint64_t pattern_id_ = 0;
  std::uint64_t value_id_ = 0;
  std::unique_ptr<BlockOperator> blocks_;
  std::unique_ptr<SchurOperator> factors_;
  HostCopy<D, Real> S_, J_, H_, C_, b_, x_;
  DeviceArray<D, DeviceOutcome> outcome_;
};

}  // namespace nsn
