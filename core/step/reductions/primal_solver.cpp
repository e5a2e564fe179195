#include "nsn/core/step/reductions/primal_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsn/core/base/error.h"
#include "nsn/core/base/vector_kernels.h"
#include "nsn/core/linear/iteration_goal.h"
#include "nsn/core/step/step_error.h"

namespace nsn {
namespace {

constexpr int kMostRounds = 10;  // of refinement; each must halve the residual

bool is_block_diagonal(const BlockCsr& C) {
  if (C.blocks() != C.rows) return false;
  for (Index i = 0; i < C.rows; ++i) {
    if (C.row_begin(i) != i || C.column(i) != i) return false;
  }
  return true;
}

/// What a status says of the iterate: it may be used.
bool usable(const LinearReport& report) {
  return report.ok() || report.status == LinearStatus::kInaccurate ||
         report.status == LinearStatus::kStagnation ||
         report.status == LinearStatus::kMaxIterations;
}

}  // namespace

bool has_primal_form(const SchurOperator& S) {
  if (S.rows() == 0 || !is_block_diagonal(S.C())) return false;
  const Vector inverse("C^-1", S.C().value.extent(0));
  return invert_blocks(S.C().value, inverse) < 0;
}

Index primal_blocks(const SchurOperator& S) {
  Delassus K;
  K.analyze(S.Jt().matrix);
  return K.matrix().blocks();
}

PrimalSolver::PrimalSolver(std::unique_ptr<LinearSolver> solver)
    : solver_(std::move(solver)), name_(fmt::format("primal {}", solver_->name())) {
  capabilities_ = solver_->capabilities();
  capabilities_.needs_entries = true;
  capabilities_.takes_factors = true;
  capabilities_.handles_singular = false;
  capabilities_.handles_indefinite = false;
  capabilities_.handles_unsymmetric = false;
}

void PrimalSolver::do_analyze(const LinearOperator& op) {
  NSN_THROW_UNLESS(op.factors() != nullptr, "'{}' needs the factors J, H and C of the matrix",
                   name_);
  const SchurOperator& S = *op.factors();
  NSN_THROW_UNLESS(is_block_diagonal(S.C()), "'{}' needs a C of diagonal blocks", name_);
  K_.analyze(S.Jt().matrix);
  op_ = std::make_unique<BlockOperator>(K_.matrix());
  op_->set_positions(S.node_positions());
  C_inverse_ = Vector("C^-1", S.C().value.extent(0));
  H_ = Vector("H", S.H_inverse().extent(0));
  const auto rows = to_size(op.rows());
  for (Vector* v : {&r_, &row_, &x_}) *v = Vector("rows", rows);
  for (Vector* v : {&force_, &y_}) *v = Vector("nodes", to_size(op_->rows()));
  solver_->analyze(*op_);
}

LinearSolver::Preparation PrimalSolver::do_factorize(const LinearOperator& op) {
  const SchurOperator& S = *op.factors();
  const auto singular = [](const char* what, Index block) {
    return Preparation{
        false, LinearStatus::kSingularPivot,
        fmt::format("the primal form needs a regular {}: block {} is singular", what, block + 1)};
  };
  if (const Index i = invert_blocks(S.C().value, C_inverse_); i >= 0) return singular("C", i);
  if (const Index i = invert_blocks(S.H_inverse(), H_); i >= 0) return singular("H", i);
  K_.assemble(S.Jt().matrix, C_inverse_, H_);
  op_->values_changed();
  solver_->prepare(*op_);
  return {};
}

double PrimalSolver::residual(const LinearOperator& op, ConstVector b, ConstVector x) {
  op.apply(x, r_);
  return residual_norm(b, r_, r_);
}

double PrimalSolver::correct(const LinearOperator& op, ConstVector b, Vector x) {
  multiply(op.factors()->J(), y_, row_);
  axpby(1.0, r_, -1.0, row_);
  multiply_blocks(C_inverse_, row_, r_);
  copy(x, x_);
  axpby(1.0, r_, 1.0, x);
  return residual(op, b, x);
}

/// One round; false: there is no further one. size: |b - S x|.
bool PrimalSolver::improve(const LinearOperator& op, ConstVector b, Vector x,
                           const LinearControl& control, const Monitor& monitor,
                           LinearReport& report, double& size) {
  const SchurOperator& S = *op.factors();
  multiply_blocks(C_inverse_, r_, row_);
  multiply(S.Jt().matrix, row_, force_);
  fill(y_, 0.0);
  LinearControl own = control;
  own.atol = 0.0;
  own.lean = true;
  own.max_iterations -= report.iterations;
  if (own.iteration_budget > 0) own.iteration_budget -= report.iterations;
  const LinearReport one = solver_->solve(force_, y_, own, monitor);
  report.iterations += one.iterations;
  report.bytes_moved += one.bytes_moved + 2.0 * op.bytes_per_apply();
  report.status = one.status;
  report.detail = one.detail;
  if (!usable(one)) return false;
  const double next = correct(op, b, x);
  if (!(next < size)) {
    copy(x_, x);
    if (one.ok()) report.status = LinearStatus::kStagnation;
    if (report.detail.empty()) report.detail = "refinement on S gains nothing";
    return false;
  }
  const bool halved = next < 0.5 * size;
  size = next;
  return halved && one.ok() && one.status != LinearStatus::kBudgetReached;
}

void PrimalSolver::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                            const LinearControl& control, const Monitor& monitor,
                            LinearReport& report) {
  const IterationGoal goal(control, report.rhs_norm);
  double size = residual(op, b, x);
  report.status = LinearStatus::kStagnation;
  int rounds = 0;
  while (size > goal.target && report.iterations < goal.limit && rounds < kMostRounds) {
    const bool first = rounds++ == 0;
    if (!improve(op, b, x, control, first ? monitor : Monitor(), report, size)) break;
  }
  report.recurrence_residual = size;
  set_true_residual(size);
  if (size <= goal.target) {
    report.status = goal.converged(size);
    report.detail.clear();
  } else if (capabilities_.direct && report.status == LinearStatus::kStagnation) {
    report.status = LinearStatus::kDirect;  // the front judges
    report.detail.clear();
  } else if (report.iterations >= goal.limit) {
    report.status = goal.out_of_iterations();
    if (goal.budget) report.detail.clear();
  } else if (report.ok()) {
    report.status = LinearStatus::kStagnation;
  }
  if (rounds > 1) {
    report.detail +=
        fmt::format("{}rounds of refinement: {}", report.detail.empty() ? "" : "; ", rounds - 1);
  }
}

double PrimalSolver::bytes_held() const {
  const double rows = size_of(r_);
  const double nodes = size_of(y_);
  return 76.0 * K_.matrix().blocks() + 24.0 * (rows + nodes) + 24.0 * rows + 16.0 * nodes;
}

}  // namespace nsn
