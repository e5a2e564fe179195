/// A solver of a device as a LinearSolver for operators of the host: the pattern goes up when it is
/// new, the values when they are, b once per solve; x and the outcome come back. The report counts
/// all of it. The mirror image of core/device/mirrored.h.
///
///   UploadedSolver<D> solver(std::make_unique<KrylovSolver<D, double>>("pcr", options));
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/device/device_solver.h"
#include "nsn/core/device/mirror.h"
#include "nsn/core/linear/operator_entries.h"
#include "nsn/core/linear/schur_operator.h"

namespace nsn {

template <class D>
class UploadedSolver final : public LinearSolver {
 public:
  explicit UploadedSolver(std::unique_ptr<DeviceSolver<D, double>> solver)
      : solver_(std::move(solver)), capabilities_(solver_->capabilities()) {
    capabilities_.needs_entries = true;
  }

  std::string_view name() const override { return solver_->name(); }
  const Capabilities& capabilities() const override { return capabilities_; }

 private:
  bool factored(const LinearOperator& op) const {
    return op.factors() != nullptr && capabilities_.takes_factors;
  }

  /// Block `place` of J is block e of the list of nodes.
  void take_nodes(const SchurOperator& S) {
    const BlockTranspose& Jt = S.Jt();
    nodes_.row.assign(Jt.matrix.column.data(),
                      Jt.matrix.column.data() + Jt.matrix.column.extent(0));
    nodes_.block.assign(Jt.source.data(), Jt.source.data() + Jt.source.extent(0));
  }

  void do_analyze(const LinearOperator& op) override {
    device_ = {};
    device_.rows = (op.rows() + kBlock - 1) / kBlock;
    device_.entries = !factored(op);
    if (device_.entries) {
      entries_.analyze(op);
    } else {
      device_.nodes = op.factors()->J().columns;
      take_nodes(*op.factors());
    }
    fresh_ = true;
    const std::size_t padded = to_size(kBlock * device_.rows);
    if (b_host_.extent(0) == padded) return;
    b_host_ = Vector("b", padded);
    x_host_ = Vector("x", padded);
    x_ = allocate_on<D, double>("x", static_cast<Index>(padded));
  }

  void take_entries(const LinearOperator& op) {
    const BlockCsr& S = entries_.update(op);
    if (fresh_ || kHostReads<D>) {
      device_.S_begin = up_.begin.take(queue_, S.row_begin);
      device_.S_column = up_.column.take(queue_, S.column);
    }
    device_.S = up_.blocks.take(queue_, S.value);
  }

  void take_factors(const SchurOperator& S) {
    const BlockCsr& J = S.J();
    const BlockTranspose& Jt = S.Jt();
    if (fresh_ || kHostReads<D>) {
      device_.row_begin = up_.begin.take(queue_, J.row_begin);
      device_.column = up_.column.take(queue_, J.column);
      device_.node_begin = up_.node_begin.take(queue_, Jt.matrix.row_begin);
      device_.node_row = up_.node_row.take(queue_, nodes_.row);
      device_.node_block = up_.node_block.take(queue_, nodes_.block);
    }
    device_.J = up_.blocks.take(queue_, J.value);
    device_.Jt = up_.transposed.take(queue_, Jt.matrix.value);
    device_.H_inverse = up_.H_inverse.take(queue_, S.H_inverse());
    C_.assign(to_size(kBlockSize * device_.rows), 0.0);
    if (S.C().rows > 0) diagonal_blocks(S.C(), Vector(C_.data(), C_.size()));
    device_.C = up_.C.take(queue_, C_);
  }

  Preparation do_factorize(const LinearOperator& op) override {
    device_.symmetric = op.symmetric();
    device_.pattern_id = op.pattern_id();
    device_.value_id = op.value_id();
    try {
      if (device_.entries) {
        take_entries(op);
      } else {
        take_factors(*op.factors());
      }
      fresh_ = false;
      solver_->prepare(queue_, device_);
    } catch (const std::runtime_error& error) {  // the device has no room, or is lost
      return {false, LinearStatus::kBackendError, error.what()};
    }
    return {};
  }

  /// The device solves for the correction of the guess: its solvers start from zero.
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) override {
    const auto n = static_cast<std::size_t>(op.rows());
    const HostSpan<double> head(b_host_.data(), n);
    op.apply(x, Vector(b_host_.data(), n));
    for (std::size_t k = 0; k < n; ++k) head(k) = b(k) - head(k);
    DeviceControl<D> asked;
    const double far = norm2(b_host_) / report.rhs_norm;  // of a bad guess the residual is larger
    asked.goal.rtol = far > 1.0 ? control.rtol / far : control.rtol;
    asked.goal.atol = std::max(control.rtol * report.rhs_norm, control.atol);
    asked.goal.budget = control.iteration_budget > 0;
    asked.goal.limit = asked.goal.budget ? control.iteration_budget : control.max_iterations;
    asked.monitor = monitor;
    DeviceOutcome outcome;
    try {
      solver_->solve(queue_, up_.b.take(queue_, b_host_), x_, asked);
      queue_.copy(x_host_, Span<D, const double>(x_));
      queue_.copy(HostSpan<DeviceOutcome>(&outcome, 1), solver_->outcome());
    } catch (const std::runtime_error& error) {
      report.status = LinearStatus::kBackendError;
      report.detail = error.what();
      return;
    }
    for (std::size_t k = 0; k < n; ++k) x(k) += x_host_(k);
    report.status = static_cast<LinearStatus>(outcome.status);
    if (report.status == LinearStatus::kConvergedAbsolute &&
        outcome.residual <= control.rtol * report.rhs_norm) {
      report.status = LinearStatus::kConvergedRelative;
    }
    report.detail = words_of(report.status);
    report.iterations = outcome.iterations;
    report.recurrence_residual = outcome.residual;
    report.bytes_moved =
        (1.0 + outcome.iterations) * (op.bytes_per_apply() + 96.0 * static_cast<double>(n));
    const Traffic now = queue_.traffic;
    report.bytes_to_device = now.to_device - reported_.to_device;
    report.bytes_from_device = now.from_device - reported_.from_device;
    report.kernel_launches = now.launches - reported_.launches;
    reported_ = now;
  }

  static const char* words_of(LinearStatus status) {
    switch (status) {
      case LinearStatus::kMaxIterations:
        return "the iteration limit was reached";
      case LinearStatus::kBreakdown:
        return "the recurrence met a number that is not finite; the best iterate is returned";
      case LinearStatus::kIndefinite:
        return "met a direction of zero or negative curvature";
      case LinearStatus::kStagnation:
        return "the residual recomputed from x stopped falling: rounding is reached";
      case LinearStatus::kSingularPivot:
        return "a pivot is not positive";
      case LinearStatus::kInaccurate:
        return "refinement does not reach the tolerance";
      case LinearStatus::kNonFinite:
        return "the matrix or the right-hand side holds NaN or infinity";
      case LinearStatus::kBackendError:
        return "a library of the device failed";
      default:
        return "";
    }
  }

  double bytes_held() const override {
    return entries_.bytes_held() + solver_->bytes_held() + 24.0 * static_cast<double>(x_.extent(0));
  }

  struct {
    Uploaded<D, Index> begin, column, node_begin, node_row, node_block;
    Uploaded<D, double> blocks, transposed, H_inverse, C, b;
  } up_;
  struct {
    std::vector<Index> row, block;
  } nodes_;

  std::unique_ptr<DeviceSolver<D, double>> solver_;
  Capabilities capabilities_;
  Queue<D> queue_;
  Traffic reported_;
  DeviceOperator<D, double> device_;
  BlockEntries entries_;
  bool fresh_ = true;
  std::vector<double> C_;
  Vector b_host_, x_host_;
  DeviceArray<D, double> x_;
};

}  // namespace nsn
