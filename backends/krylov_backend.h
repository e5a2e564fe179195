/// What pcg, pcr and gmres have in common: a preconditioner by name, the storage of the matrix, and
/// the honest end of a solve.
///
/// A backend derives from it and brings the iteration. With storage=float the iteration multiplies
/// by a copy of the matrix in single precision (core/linear/single_operator.h); the preconditioner
/// and every reported residual stay those of the matrix in double, and a convergence that the copy
/// claims but the matrix does not confirm is reported as kInaccurate (kBudgetReached where the call
/// orders an inexact solve by a budget).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsn/core/linear/single_operator.h"
#include "nsn/core/linear/solver_registry.h"

namespace nsn {

/// The shift of incomplete factors (precond/block_ilu.h) under an iteration that needs P positive
/// definite: far above what rounding leaves of a pivot, far below what costs iterations.
inline constexpr double kDefiniteShift = 1e-8;

/// max_iterations (0: what the call asks for), precond (none, jacobi, block-jacobi, block-ilu, amg),
/// shift and storage (double, float).
std::vector<OptionSpec> krylov_options(double shift);

class KrylovBackend : public LinearSolver {
 public:
  const Capabilities& capabilities() const override { return capabilities_; }

 protected:
  /// definite: the iteration needs P positive definite.
  KrylovBackend(const Capabilities& can, const Options& options, const SolverRegistry& registry,
                bool definite);

 private:
  /// Workspace for n rows.
  virtual void allocate(Index n, bool diagonal_preconditioner) = 0;
  /// As LinearSolver::do_solve(), A x = b with A the matrix or its copy.
  virtual void iterate(const LinearOperator& A, const Preconditioner& P, ConstVector b, Vector x,
                       const LinearControl& control, const Monitor& monitor,
                       LinearReport& report) = 0;
  virtual double workspace_bytes() const = 0;

  void do_analyze(const LinearOperator& op) final;
  Preparation do_factorize(const LinearOperator& op) final;
  void do_solve(const LinearOperator& op, ConstVector b, Vector x, const LinearControl& control,
                const Monitor& monitor, LinearReport& report) final;
  void confirm(const LinearOperator& op, ConstVector b, ConstVector x, const LinearControl& control,
               LinearReport& report);
  double bytes_held() const final;

  Capabilities capabilities_;
  std::unique_ptr<Preconditioner> P_;
  int max_iterations_;
  bool single_;
  SingleOperator copy_;
  Vector r_;  // with a copy: the residual of the matrix itself
};

}  // namespace nsn
