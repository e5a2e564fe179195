#include "nsn/core/linear/linear_solver.h"

#include <algorithm>
#include <cmath>

#include "nsn/core/base/clock.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {
namespace {

/// Residual over that of the start from which an answer has no digit left that serves anything.
constexpr double kLost = 1e8;

}  // namespace

std::string_view to_string(LinearStatus status) {
  switch (status) {
    case LinearStatus::kConvergedRelative:
      return "converged";
    case LinearStatus::kConvergedAbsolute:
      return "converged-absolute";
    case LinearStatus::kConvergedLeastSquares:
      return "least-squares";
    case LinearStatus::kBudgetReached:
      return "budget-reached";
    case LinearStatus::kDirect:
      return "direct";
    case LinearStatus::kMaxIterations:
      return "max-iterations";
    case LinearStatus::kBreakdown:
      return "breakdown";
    case LinearStatus::kIndefinite:
      return "indefinite";
    case LinearStatus::kStagnation:
      return "stagnation";
    case LinearStatus::kSingularPivot:
      return "singular-pivot";
    case LinearStatus::kInaccurate:
      return "inaccurate";
    case LinearStatus::kNonFinite:
      return "non-finite";
    case LinearStatus::kBackendError:
      return "backend-error";
  }
  return "?";
}

double LinearReport::relative_residual() const {
  return rhs_norm > 0.0 ? true_residual / rhs_norm : true_residual;
}

void LinearSolver::analyze(const LinearOperator& op) {
  const Capabilities& can = capabilities();
  const bool factors = can.takes_factors && op.factors() != nullptr;
  NSN_THROW_UNLESS(!can.needs_entries || op.has_entries() || factors,
                   "'{}' needs the entries of the matrix, and this operator is matrix-free",
                   name());
  NSN_THROW_UNLESS(can.handles_unsymmetric || op.symmetric(),
                   "'{}' solves symmetric systems only, and this operator is not symmetric",
                   name());
  op_ = &op;
  if (op.pattern_id() == pattern_id_) return;
  const auto start = Clock::now();
  pattern_id_ = 0;  // an exception below must not leave half an analysis behind
  value_id_ = 0;
  const auto n = static_cast<std::size_t>(op.rows());
  room_.resize(2 * n);
  r_ = Vector(room_.data(), n);
  Sr_ = Vector(room_.data() + n, n);
  if (n > 0) do_analyze(op);
  pattern_id_ = op.pattern_id();
  analyze_seconds_ = seconds_since(start);
}

void LinearSolver::prepare(const LinearOperator& op) {
  analyze(op);
  if (op.value_id() == value_id_) return;
  const auto start = Clock::now();
  value_id_ = 0;
  preparation_ = Preparation{};
  if (op.rows() > 0) preparation_ = do_factorize(op);
  value_id_ = op.value_id();
  factorize_seconds_ = seconds_since(start);
}

LinearReport LinearSolver::solve(ConstVector b, Vector x, const LinearControl& control,
                                 const Monitor& monitor) {
  NSN_THROW_UNLESS(op_ != nullptr, "'{}': solve() before prepare()", name());
  const Index n = op_->rows();
  NSN_THROW_UNLESS(size_of(b) == n && size_of(x) == n,
                   "'{}': a system of {} rows, b of {} and x of {} entries", name(), n, b.extent(0),
                   x.extent(0));
  LinearReport report;
  report.analyze_seconds = analyze_seconds_;
  report.factorize_seconds = factorize_seconds_;
  report.status = LinearStatus::kConvergedAbsolute;
  if (n == 0) {
    report.status = LinearStatus::kConvergedRelative;
    return report;
  }
  if (control.trust && control.lean && preparation_.ok && capabilities().direct) {
    solve_trusted(b, x, control, monitor, report);
    return report;
  }
  const auto start = Clock::now();
  report.bytes_held = bytes_held() + 16.0 * n;
  if (needs_solve(b, x, control, monitor, report)) {
    report.status = LinearStatus::kDirect;
    std::copy_n(x.data(), n, Sr_.data());
    residual_known_ = false;
    do_solve(*op_, b, x, control, monitor, report);
    judge(b, x, control, report);
  }
  report.solve_seconds = seconds_since(start);
  return report;
}

/// Measures the initial guess. Returns false if the status is known without a solve.
bool LinearSolver::needs_solve(ConstVector b, Vector x, const LinearControl& control,
                               const Monitor& monitor, LinearReport& report) {
  report.rhs_norm = norm2(b);
  // r = b - S x0
  if (control.lean && norm_max(x) == 0.0) {
    report.initial_residual = report.rhs_norm;
  } else {
    op_->apply(x, r_);
    report.initial_residual = residual_norm(b, r_, r_);
  }
  report.true_residual = report.recurrence_residual = report.initial_residual;
  if (!std::isfinite(report.rhs_norm) || !std::isfinite(report.initial_residual)) {
    report.status = LinearStatus::kNonFinite;
    report.detail = std::isfinite(report.rhs_norm)
                        ? (all_finite(x) ? "the matrix holds NaN or infinity"
                                         : "the initial guess holds NaN or infinity")
                        : "the right-hand side holds NaN or infinity";
    return false;
  }
  if (!preparation_.ok) {
    report.status = preparation_.status;
    report.detail = preparation_.detail;
    return false;
  }
  const double target = std::max(control.rtol * report.rhs_norm, control.atol);
  if (!(report.initial_residual <= target)) return true;
  report.status = report.initial_residual <= control.rtol * report.rhs_norm
                      ? LinearStatus::kConvergedRelative
                      : LinearStatus::kConvergedAbsolute;
  if (monitor) monitor({0, report.initial_residual, 0.0, 0.0});
  return false;
}

/// Measures the answer; one that is not finite is replaced by the initial guess.
void LinearSolver::judge(ConstVector b, Vector x, const LinearControl& control,
                         LinearReport& report) {
  if (control.trust && capabilities().direct) {
    report.true_residual = all_finite(x) ? 0.0 : kInfinity;
  } else if (residual_known_) {
    report.true_residual = known_residual_;
  } else {
    op_->apply(x, r_);
    report.true_residual = residual_norm(b, r_, r_);
  }
  const auto give_back = [&](LinearStatus status, const char* words) {
    std::copy_n(Sr_.data(), x.extent(0), x.data());
    report.true_residual = report.initial_residual;
    if (report.status <= LinearStatus::kMaxIterations) report.status = status;
    if (report.detail.empty()) report.detail = words;
  };
  // An entry of x that no row of S reads does not show in the residual.
  if (!std::isfinite(report.true_residual) || !all_finite(x)) {
    return give_back(LinearStatus::kNonFinite,
                     "the answer was not finite; the initial guess is returned");
  }
  if (report.true_residual > kLost * std::max(report.initial_residual, report.rhs_norm)) {
    return give_back(LinearStatus::kBreakdown,
                     "the residual grew without bound; the initial guess is returned");
  }
  if (!control.lean) {
    if (residual_known_) {
      op_->apply(x, r_);
      residual_norm(b, r_, r_);
    }
    op_->apply(r_, Sr_);
    report.normal_residual = norm2(Sr_);
  }
  if (report.status != LinearStatus::kDirect) return;
  if (report.true_residual <= control.rtol * report.rhs_norm) {
    report.status = LinearStatus::kConvergedRelative;
  } else if (report.true_residual <= control.atol) {
    report.status = LinearStatus::kConvergedAbsolute;
  } else {
    report.status = LinearStatus::kInaccurate;
    report.detail = fmt::format("relative residual {:.1e} after a direct solve, {:.1e} was asked",
                                report.relative_residual(), control.rtol);
  }
}

/// Nothing is measured but whether the answer is finite.
void LinearSolver::solve_trusted(ConstVector b, Vector x, const LinearControl& control,
                                 const Monitor& monitor, LinearReport& report) {
  report.status = LinearStatus::kDirect;
  do_solve(*op_, b, x, control, monitor, report);
  if (all_finite(x)) {
    if (report.status == LinearStatus::kDirect) report.status = LinearStatus::kConvergedRelative;
    return;
  }
  std::fill_n(x.data(), x.extent(0), 0.0);
  report.true_residual = report.initial_residual = norm2(b);
  if (report.ok()) report.status = LinearStatus::kNonFinite;
  if (report.detail.empty()) report.detail = "the answer was not finite; zero is returned";
}

}  // namespace nsn
