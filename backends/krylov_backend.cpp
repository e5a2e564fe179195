#include "nsn/backends/krylov_backend.h"

#include <algorithm>

#include <fmt/format.h>

#include "nsn/backends/iteration_limit.h"
#include "nsn/core/base/allocate.h"
#include "nsn/core/base/vector_kernels.h"

namespace nsn {

std::vector<OptionSpec> krylov_options(double shift) {
  return {
      OptionSpec::integer("max_iterations", 0, 0, 1e9,
                          "largest number of iterations; 0: as many as the call allows"),
      OptionSpec::choice("precond", "jacobi",
                         {"none", "jacobi", "block-jacobi", "block-ilu", "amg"}, "preconditioner"),
      OptionSpec::real("shift", shift, 0.0, 1.0,
                       "block-ilu: the factors are those of S + this diag S"),
      OptionSpec::choice("storage", "double", {"double", "float"},
                         "how the matrix is held; sums are formed in double")};
}

Capabilities krylov_capabilities(Capabilities can, const Options& options) {
  const std::string& precond = options.text("precond");
  can.needs_entries =
      precond == "block-ilu" || precond == "amg" || options.text("storage") == "float";
  return can;
}

KrylovBackend::KrylovBackend(const Capabilities& can, const Options& options,
                             const SolverRegistry& registry, bool definite)
    : capabilities_(can),
      P_(registry.make_preconditioner(options.text("precond"),
                                      {.definite = definite, .shift = options.real("shift")})),
      max_iterations_(static_cast<int>(options.integer("max_iterations"))),
      single_(options.text("storage") == "float") {
  capabilities_.needs_entries = P_->needs_entries() || single_;
}

void KrylovBackend::do_analyze(const LinearOperator& op) {
  P_->analyze(op);
  allocate(op.rows(), P_->diagonal().extent(0) > 0);
  if (!single_) return;
  copy_.analyze(op);
  r_ = allocate_vector("residual", static_cast<std::size_t>(op.rows()));
}

LinearSolver::Preparation KrylovBackend::do_factorize(const LinearOperator& op) {
  P_->factorize(op);
  if (single_) copy_.update(op);
  return {};
}

void KrylovBackend::do_solve(const LinearOperator& op, ConstVector b, Vector x,
                             const LinearControl& control, const Monitor& monitor,
                             LinearReport& report) {
  const LinearOperator& A = single_ ? static_cast<const LinearOperator&>(copy_) : op;
  iterate(A, *P_, b, x, with_limit(control, max_iterations_), monitor, report);
  explain_limit(control, report);
  if (single_) confirm(op, b, x, control, report);
  if (P_->note().empty() || (report.ok() && control.lean)) return;
  if (!report.detail.empty()) report.detail += "; ";
  report.detail += P_->note();
}

void KrylovBackend::confirm(const LinearOperator& op, ConstVector b, ConstVector x,
                            const LinearControl& control, LinearReport& report) {
  op.apply(x, r_);
  const double residual = residual_norm(b, r_, r_);
  set_true_residual(residual);
  report.bytes_moved += op.bytes_per_apply() + 24.0 * op.rows();
  const bool claimed = report.status <= LinearStatus::kConvergedLeastSquares;
  if (!claimed || residual <= std::max(control.rtol * report.rhs_norm, control.atol)) return;
  if (control.iteration_budget > 0) {  // an inexact solve was ordered
    report.status = LinearStatus::kBudgetReached;
    return;
  }
  report.status = LinearStatus::kInaccurate;
  report.detail = fmt::format("storage=float leaves a residual of {:.1e} |b|, {:.1e} was asked",
                              residual / report.rhs_norm, control.rtol);
}

double KrylovBackend::bytes_held() const {
  return workspace_bytes() + P_->bytes_held() + copy_.bytes_held() + 8.0 * size_of(r_);
}

}  // namespace nsn
